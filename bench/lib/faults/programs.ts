import { execFileSync } from 'node:child_process';

/** Installs without starting services: they would keep running after the measurement. */
const policy = '/usr/sbin/policy-rc.d';
const installWithoutServices = `
  if ! test -e ${policy}; then
    printf '#!/bin/sh\\nexit 101\\n' > ${policy}
    chmod +x ${policy}
    trap 'rm -f ${policy}' EXIT
  fi
  apt-get install -y -qq --no-install-recommends`;

/** Whether the program is installed, or could be installed from its Debian package. */
export function haveProgram(program: string, debianPackage: string): boolean {
  try {
    const script = `command -v ${program} || ( ${installWithoutServices} ${debianPackage} )`;
    execFileSync('bash', ['-c', script], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
