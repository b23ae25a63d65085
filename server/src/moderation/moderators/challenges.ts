import { randomBytes } from 'node:crypto';
import type { ModerationBase } from '../../kernel/base.ts';

export const challengeSeconds = 300;

export type Purpose = 'enrol' | 'sign-in' | 'prove';

/** The random values that passkeys sign. Each works once, for its purpose and subject. Without Redis there are none. */
const keyOf = (
  { redisCrypto }: ModerationBase,
  purpose: Purpose,
  challenge: string,
  subject: Buffer = Buffer.alloc(0),
) => `mod:${redisCrypto.keyedHash(`mod-${purpose}`, Buffer.concat([Buffer.from(challenge), subject]))}`;

/** `subject`: the link or the session that the challenge is for. Nobody is known before sign-in. */
export async function issueChallenge(ctx: ModerationBase, purpose: Purpose, subject?: Buffer) {
  const challenge = randomBytes(32);
  const key = keyOf(ctx, purpose, challenge.toString('base64url'), subject);
  await ctx.redis.run((client) => client.set(key, '1', 'EX', challengeSeconds));
  return challenge;
}

/** False if it was not issued for this, was used, or is too old. */
export async function takeChallenge(
  ctx: ModerationBase,
  purpose: Purpose,
  challenge: string,
  subject?: Buffer,
): Promise<boolean> {
  const key = keyOf(ctx, purpose, challenge, subject);
  return (await ctx.redis.run((client) => client.getdel(key))) !== null;
}
