import { readFile } from 'node:fs/promises';
import { testEnv } from './test-env.ts';

/** Every code that a number was sent, the oldest first. */
export async function codesSentTo(phone: string, outbox = testEnv.outbox): Promise<string[]> {
  const text = await readFile(outbox, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { to: string; code: string })
    .filter(({ to }) => to === phone)
    .map(({ code }) => code);
}
