import { schemaNames } from '../../server/src/db/schemas.ts';
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import type { Statement } from './statement-tap.ts';

/** Throughput: pgbench on PostgreSQL alone, wrk on the server. */

export interface BareScript {
  readonly text: string;
  readonly settings: readonly string[];
}

/** A pgbench script of these statements, with values bound as parameters. */
export function writeBareScript(statements: readonly Statement[]): BareScript {
  const settings: string[] = [];
  const texts = statements.map(({ text, values }, index) => {
    for (const [position, value] of values.entries())
      settings.push('-D', `v${index}_${position + 1}=${value}`);
    return `${text.replaceAll(/\$(\d+)/gu, `:v${index}_$1`)};\n`;
  });
  return { text: texts.join(''), settings };
}

const tableNames = new RegExp(String.raw`"?(${schemaNames.join('|')})"?\."?([a-z_]+)"?`, 'gu');

/** The tables of a statement: `content.vents + content.vent_stats`. */
export function tablesOf({ text }: Statement): string {
  const names = [...text.matchAll(tableNames)];
  return [...new Set(names.map(([, schema, table]) => `${schema}.${table}`))].join(' + ');
}

export function runPgbench(url: string, { text, settings }: BareScript, seconds: number): number {
  const args = ['-n', '-M', 'prepared', '-c', '8', '-j', '2', '-T', String(seconds), ...settings];
  const found = 'command -v pgbench || ls /usr/lib/postgresql/*/bin/pgbench | tail -1';
  const pgbench = execFileSync('bash', ['-c', found], { encoding: 'utf8' }).trim();
  const output = execFileSync(pgbench, [...args, '-f', '-', url], {
    encoding: 'utf8',
    input: text,
    // The settings of the feed's pool.
    env: { ...process.env, PGOPTIONS: '-c plan_cache_mode=force_generic_plan -c jit=off' },
    stdio: 'pipe',
  });
  return Number(/tps = ([\d.]+)/u.exec(output)?.[1]);
}

export function runWrk(address: string, token: string, seconds: number): number {
  const args = ['-c16', '-t2', `-d${seconds}s`, '-H', `authorization: Bearer ${token}`, address];
  const output = execFileSync('wrk', args, { encoding: 'utf8' });
  if (/Non-2xx/u.test(output)) throw new Error(output);
  return Number(/Requests\/sec:\s+([\d.]+)/u.exec(output)?.[1]);
}

interface SpreadLoad {
  readonly addresses: readonly string[];
  readonly token: string;
  readonly seconds: number;
  /** Cores for wrk in the syntax of taskset; all by default. */
  readonly cores?: string;
}

/** Sixteen connections divided among the addresses, as a load balancer would do. */
export async function runWrkOnEach({ addresses, token, seconds, cores }: SpreadLoad): Promise<number> {
  const rates = await Promise.all(
    addresses.map(async (address) => {
      const wrk = [
        'wrk',
        `-c${16 / addresses.length}`,
        '-t1',
        `-d${seconds}s`,
        '-H',
        `authorization: Bearer ${token}`,
        address,
      ];
      const [file = '', ...args] = cores === undefined ? wrk : ['taskset', '-c', cores, ...wrk];
      const { stdout } = await promisify(execFile)(file, args);
      if (/Non-2xx/u.test(stdout)) throw new Error(stdout);
      return Number(/Requests\/sec:\s+([\d.]+)/u.exec(stdout)?.[1]);
    }),
  );
  return rates.reduce((sum, rate) => sum + rate, 0);
}
