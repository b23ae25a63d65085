import { ConfigError } from '../config.ts';

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
