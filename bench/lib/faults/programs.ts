import { execFileSync } from 'node:child_process';

/** A package that brings a service must not start it: nobody asked for it, and it would be there when we are gone. */
const policy = '/usr/sbin/policy-rc.d';
const installWithoutServices = `
  if ! test -e ${policy}; then
    printf '#!/bin/sh\\nexit 101\\n' > ${policy}
    chmod +x ${policy}
    trap 'rm -f ${policy}' EXIT
  fi
  apt-get install -y -qq --no-install-recommends`;

/** True where it is there, or Debian's package of it could be had. */
export function haveProgram(program: string, debianPackage: string): boolean {
  try {
    const script = `command -v ${program} || ( ${installWithoutServices} ${debianPackage} )`;
    execFileSync('bash', ['-c', script], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
