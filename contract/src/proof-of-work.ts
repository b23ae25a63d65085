import * as z from 'zod/mini';

/** Proof of work as in ALTCHA, version 1: find the number that, appended to the salt, has the challenge as its SHA-256. */
export const powChallenge = z.object({
  algorithm: z.literal('SHA-256'),
  challenge: z.string(),
  maxnumber: z.number(),
  salt: z.string(),
  signature: z.string(),
});

export type PowChallenge = z.output<typeof powChallenge>;

/** The solution, sent as base64 of its JSON. */
export const powSolution = z.object({
  challenge: z.string(),
  number: z.number(),
  salt: z.string(),
  signature: z.string(),
});

/**
 * The largest number a client may have to try, by difficulty; on average it tries half of them. The names of the
 * difficulties are part of the salt.
 */
export const powMaxNumber = {
  /** 1.5 s on a slow core at worst: a flood pays, a person hardly notices. */
  usual: 100_000,
  /** For an address that many codes are sent from. More than double is too slow on a cheap phone. */
  harder: 200_000,
} as const;

export type PowDifficulty = keyof typeof powMaxNumber;
