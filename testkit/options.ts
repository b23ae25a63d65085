import { execFileSync } from 'node:child_process';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** The command line of scripts. What stops one before it has begun is said in one line, and by a code of sysexits.h. */

const wrongUsage = 64;
const unavailable = 69;

const script = relative(fileURLToPath(new URL('..', import.meta.url)), process.argv[1] ?? '');

function stop(line: string, code: number): never {
  console.error(`${script}: ${line}`);
  process.exit(code);
}

/** An option that makes no sense. */
export const stopAtUsage = (line: string): never => stop(line, wrongUsage);
/** A program or a service that is not there. */
export const stopWithout = (line: string): never => stop(line, unavailable);

/** A flag is false; a list holds numbers, or every name that it may have. */
type Default = boolean | number | string | readonly number[] | readonly string[];
type Value<D> = D extends boolean
  ? boolean
  : D extends number
    ? number
    : D extends string
      ? string
      : D extends readonly number[]
        ? readonly number[]
        : readonly string[];

function readNumber(name: string, text: string, least: number): number {
  const value = /^\d+$/u.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least)) stopAtUsage(`--${name} ${text}: a whole number from ${least} on is wanted`);
  return value;
}

/** One name of a list; its beginning is enough. */
function readName(name: string, text: string, known: readonly string[]): string {
  const found =
    text === ''
      ? undefined
      : (known.find((one) => one === text) ?? known.find((one) => one.startsWith(text)));
  return found ?? stopAtUsage(`--${name} ${text}: there are ${known.join(', ')}`);
}

function readValue(name: string, given: string, byDefault: Default): Default {
  if (typeof byDefault === 'number') return readNumber(name, given, Math.min(1, byDefault));
  if (!Array.isArray(byDefault)) return given;
  const words = given.split(',');
  return typeof byDefault[0] === 'number'
    ? words.map((word) => readNumber(name, word, Math.min(1, ...(byDefault as number[]))))
    : words.map((word) => readName(name, word, byDefault as string[]));
}

const usageOf = (name: string, byDefault: Default) =>
  typeof byDefault === 'boolean' ? `[--${name}]` : `[--${name} ${String(byDefault) || '…'}]`;

/**
 * The options, by their defaults. `positional` names an optional word after them. --help prints them all; an unknown
 * option, a number that is none or a name that is not in its list ends the script.
 */
export function readOptions<const D extends Readonly<Record<string, Default>>>(
  defaults: D,
  { positional }: { readonly positional?: string } = {},
): { readonly [K in keyof D]: Value<D[K]> } & { readonly positional: string } {
  const all = Object.entries(defaults);
  const usage = [
    ...all.map(([name, value]) => usageOf(name, value)),
    ...(positional ? [`[${positional}]`] : []),
  ];
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: positional !== undefined,
      options: Object.fromEntries(
        [...all, ['help', false] as const].map(([name, value]) => [
          name,
          { type: typeof value === 'boolean' ? 'boolean' : 'string' } as const,
        ]),
      ),
    });
    if (values['help']) {
      console.log(`usage: node ${[script, ...usage].join(' ')}`);
      process.exit();
    }
    if (positionals.length > 1) throw new Error(`one ${positional} at most`);
    const read = all.map(([name, byDefault]) => {
      const given = values[name];
      return [name, typeof given === 'string' ? readValue(name, given, byDefault) : (given ?? byDefault)];
    });
    return { ...Object.fromEntries(read), positional: positionals[0] ?? '' };
  } catch (error) {
    return stopAtUsage((error as Error).message.split('. ')[0] ?? '');
  }
}

const policy = '/usr/sbin/policy-rc.d';
/** Installs without starting services: they would keep running after the script. */
const installWithoutServices = `
  if ! test -e ${policy}; then
    printf '#!/bin/sh\\nexit 101\\n' > ${policy}
    chmod +x ${policy}
    trap 'rm -f ${policy}' EXIT
  fi
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends`;

/** Needs each program; installs the Debian package of one that is missing, or ends the script. */
export function needPrograms(packages: Readonly<Record<string, string>>): void {
  for (const [program, debianPackage] of Object.entries(packages))
    try {
      const find = `command -v ${program} || ( ${installWithoutServices} ${debianPackage} && command -v ${program} )`;
      execFileSync('bash', ['-c', find], { stdio: 'ignore' });
    } catch {
      stopWithout(`${program} is missing, and Debian's package ${debianPackage} could not be installed`);
    }
}
