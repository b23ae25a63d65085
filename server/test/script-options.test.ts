import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repo } from '../../testkit/server-process.ts';

/** A script by node, as npm runs it: its code, and the lines that it prints. */
function runScript(command: string, env: Readonly<Record<string, string>> = {}) {
  const [file = '', ...args] = command.split(' ');
  const { status, stdout, stderr } = spawnSync(process.execPath, [`${repo}${file}`, ...args], {
    cwd: repo,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  const lines = (text: string) => text.split('\n').filter(Boolean);
  return { code: status, printed: lines(stdout), told: lines(stderr) };
}

describe('the command line of a script', () => {
  it('answers --help with one line', () => {
    expect(runScript('bench/faults.ts --help')).toEqual({
      code: 0,
      printed: [
        'usage: node bench/faults.ts [--rounds 3] [--groups stores,clients,clock,failover] [--only …]',
      ],
      told: [],
    });
  });

  it.each([
    ['bench/guard.ts --nothing', "bench/guard.ts: Unknown option '--nothing'"],
    ['bench/guard.ts --times x', 'bench/guard.ts: --times x: a whole number from 1 on is wanted'],
    ['bench/guard.ts --times 0', 'bench/guard.ts: --times 0: a whole number from 1 on is wanted'],
    [
      'bench/faults.ts --groups typo',
      'bench/faults.ts: --groups typo: there are stores, clients, clock, failover',
    ],
    ['bench/compare.ts', 'bench/compare.ts: --old is wanted: the folder of another checkout'],
    [
      'bench/moderation.ts --decisions 20',
      'bench/moderation.ts: --decisions 20: more than 20 are wanted, and as many --cases',
    ],
    ['server/seed/main.ts --users x', 'server/seed/main.ts: --users x: a whole number from 1 on is wanted'],
  ])('ends %s with one line and the code of a wrong usage', (command, line) => {
    expect(runScript(command)).toEqual({ code: 64, printed: [], told: [line] });
  });

  it('ends with one line and a code of its own where a service or a program is missing', () => {
    const noService = { DATABASE_URL: 'postgres://127.0.0.1:1/unsaid' };
    expect(runScript('bench/search.ts', noService)).toEqual({
      code: 69,
      printed: [],
      told: ['bench/search.ts: PostgreSQL or Redis cannot be reached: see DATABASE_URL and REDIS_URL'],
    });
    const noProgram = { PATH: dirname(process.execPath) };
    expect(runScript('bench/pentest.ts', noProgram)).toEqual({
      code: 69,
      printed: [],
      told: ["bench/pentest.ts: sqlmap is missing, and Debian's package sqlmap could not be installed"],
    });
  });

  it('has a smallest size for every bench, drill and measurement of package.json', () => {
    expect(runScript('tools/check-scripts.ts --list')).toMatchObject({ code: 0, told: [] });
  });
});
