import * as z from 'zod/mini';

/** Proof of work in ALTCHA's own form (version 1): find the number that, put behind the salt, has the challenge as its SHA-256. */
export const workChallenge = z.object({
  algorithm: z.literal('SHA-256'),
  challenge: z.string(),
  maxnumber: z.number(),
  salt: z.string(),
  signature: z.string(),
});

export type WorkChallenge = z.output<typeof workChallenge>;

/** What is sent back, as base64 of its JSON. */
export const workSolution = z.object({
  challenge: z.string(),
  number: z.number(),
  salt: z.string(),
  signature: z.string(),
});
