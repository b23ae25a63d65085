import { ConfigError, type Config } from '../config.ts';
import { buildDeps, type Deps } from '../deps.ts';

/** Ends the process with one line for the operator. */
export function refuse(reason: string, what = 'start'): never {
  process.stderr.write(`Unsaid cannot ${what}: ${reason}\n`);
  process.exit(1);
}

/** Reads the settings, or refuses with all problems in one line. */
export function readOrRefuse<T>(read: (env: NodeJS.ProcessEnv) => T, env: NodeJS.ProcessEnv): T {
  try {
    return read(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return refuse(error.message);
  }
}

/** Builds what a process has, or refuses where a data key is missing or does not open. */
export const buildOrRefuse = (config: Config, waitsForDatabase = false): Promise<Deps> =>
  buildDeps(config, { waitsForDatabase }).catch((error: unknown) => refuse((error as Error).message));

/** For the commands of an operator. */
export const depsOrRefuse = (config: Config): Promise<Deps> => buildOrRefuse({ ...config, logLevel: 'warn' });
