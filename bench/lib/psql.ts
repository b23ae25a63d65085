import { execFileSync } from 'node:child_process';

/** Runs SQL by psql; throws at the first error. Columns of a row are separated by `|`. */
export const psql = (url: string, text: string) =>
  execFileSync('psql', [url, '-qXAtv', 'ON_ERROR_STOP=1', '-c', text], {
    encoding: 'utf8',
    env: { ...process.env, PGOPTIONS: '-c client_min_messages=warning' },
  }).trim();
