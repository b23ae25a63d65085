import * as z from 'zod/mini';
import { limits } from './limits.ts';
import { cleanLine, cleanText, countBytes, isBlank, isUnacceptable, isWithin } from './text.ts';

/** Schema parts shared by several features. */

interface TextRules {
  readonly max: number;
  readonly maxBytes?: number;
  readonly maxNewlines?: number;
  readonly isOneLine?: boolean;
  readonly isRequired?: boolean;
}

/** Text written by a person: cleaned first, then measured in graphemes and bytes. */
export function writtenText({ max, maxBytes = max * 12, maxNewlines, isOneLine, isRequired }: TextRules) {
  const clean = isOneLine ? cleanLine : cleanText;
  return z.pipe(
    z.string().check(
      // A cheap bound before the expensive checks.
      z.maxLength(maxBytes * 2, { error: 'too_long' }),
      z.refine((text) => !isUnacceptable(text), { error: 'unacceptable_characters' }),
    ),
    z.pipe(
      z.transform((text: string) => (isBlank(text) ? '' : clean(text))),
      z.string().check(
        z.refine((text) => !isRequired || text !== '', { error: 'required' }),
        z.refine((text) => isWithin(text, max) && countBytes(text) <= maxBytes, { error: 'too_long' }),
        z.refine((text) => maxNewlines === undefined || text.split('\n').length - 1 <= maxNewlines, {
          error: 'too_many_lines',
        }),
      ),
    ),
  );
}

/**
 * The answer to "this has a link or a handle in it". `false` asks the server to refuse them, so that the client can ask
 * the person; `true` posts them anyway. Without it they pass: clients of the specification cannot ask.
 */
export const isSure = z.optional(z.boolean());

/** Opaque ids. Any string is valid input: an id that cannot be decoded gets the same response as one not found. */
export const sealedId = z.string().check(z.maxLength(64));

export const success = { success: z.literal(true) } as const;

export const done = z.object(success);

/** A calendar day, `2026-11-15`: the identity side exposes no times. */
export const day = z.string();

export const phone = z.string().check(z.maxLength(limits.phoneChars));
export const otp = z.string().check(z.regex(/^[0-9]{6}$/u));
/**
 * The solution of the challenge in a POW_REQUIRED response, as ALTCHA clients encode it: base64 of
 * `{algorithm, challenge, number, salt, signature}`. Valid once, for this call and this number. Never required upfront.
 */
export const pow = z.optional(z.string().check(z.maxLength(700)));

/** Errors of calls that verify a code. */
export const codeErrors = [
  'OTP_INVALID',
  'OTP_RATE_LIMITED',
  'INVALID_PHONE',
  'COUNTRY_NOT_SUPPORTED',
] as const;

/** A positive integer in a query string: no sign, no exponent, no space. */
export function wholeNumber(max: number) {
  return z.pipe(
    z.string().check(z.regex(/^[1-9][0-9]{0,3}$/u)),
    z.pipe(
      z.transform((text: string) => Number(text)),
      z.number().check(z.maximum(max)),
    ),
  );
}
