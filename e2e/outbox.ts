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

/** The newest code that a number was sent, once there is one. */
export async function waitForCode(phone: string, outbox: string): Promise<string> {
  for (let tries = 0; tries < 600; tries += 1) {
    const code = (await codesSentTo(phone, outbox)).at(-1);
    if (code !== undefined) return code;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error('no code was sent');
}
