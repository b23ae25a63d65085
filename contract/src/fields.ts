import * as z from 'zod/mini';
import { limits } from './limits.ts';
import { cleanLine, cleanText, countBytes, countGraphemes, isBlank, isUnacceptable } from './text.ts';

/** Pieces that several features' schemas are made of. */

interface TextRules {
  readonly max: number;
  readonly maxBytes?: number;
  readonly maxNewlines?: number;
  readonly isOneLine?: boolean;
  readonly isRequired?: boolean;
}

/** Text from a person: cleaned first, then measured as they would count it. */
export function writtenText({ max, maxBytes = max * 12, maxNewlines, isOneLine, isRequired }: TextRules) {
  const clean = isOneLine ? cleanLine : cleanText;
  return z.pipe(
    z.string().check(
      // A cheap bound before any work is done on it.
      z.maxLength(maxBytes * 2, { error: 'too_long' }),
      z.refine((text) => !isUnacceptable(text), { error: 'unacceptable_characters' }),
    ),
    z.pipe(
      z.transform((text: string) => (isBlank(text) ? '' : clean(text))),
      z.string().check(
        z.refine((text) => !isRequired || text !== '', { error: 'required' }),
        z.refine((text) => countGraphemes(text) <= max && countBytes(text) <= maxBytes, {
          error: 'too_long',
        }),
        z.refine((text) => maxNewlines === undefined || text.split('\n').length - 1 <= maxNewlines, {
          error: 'too_many_lines',
        }),
      ),
    ),
  );
}

/** Opaque ids. Any string is taken here: one that opens nothing is answered as not found. */
export const sealedId = z.string().check(z.maxLength(64));

export const success = { success: z.literal(true) } as const;

export const done = z.object(success);

/** A calendar day, `2026-11-15`: the identity side never tells a time. */
export const day = z.string();

export const phone = z.string().check(z.maxLength(limits.phoneChars));
export const otp = z.string().check(z.regex(/^[0-9]{6}$/u));
/**
 * Never needed at first. A POW_REQUIRED answer holds a challenge; its solution goes here as ALTCHA clients give
 * it: base64 of `{algorithm, challenge, number, salt, signature}`. Good once, for this call and this number.
 */
export const pow = z.optional(z.string().check(z.maxLength(700)));

/** Calls that carry a phone number, and proof of work where older clients still send some: nothing larger has business there. */
export const codeBodyBytes = 1024;
/** What a call that answers a code may be refused with. */
export const codeErrors = [
  'OTP_INVALID',
  'OTP_RATE_LIMITED',
  'INVALID_PHONE',
  'COUNTRY_NOT_SUPPORTED',
] as const;
