import { readFile } from 'node:fs/promises';
import { stage } from './stage.ts';

/** Every code a number was sent on this stage, the oldest first. */
export async function codesSentTo(phone: string): Promise<string[]> {
  const lines = (await readFile(stage.outbox, 'utf8').catch(() => '')).trim().split('\n').filter(Boolean);
  return lines
    .map((line) => JSON.parse(line) as { to: string; code: string })
    .filter(({ to }) => to === phone)
    .map(({ code }) => code);
}
