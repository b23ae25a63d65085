import { randomBytes } from 'node:crypto';

/** Crockford's base32: no letter looks like a digit, and few words can form. Five bits per character. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 140 bits, shown in groups of four that are easy to copy by hand. */
const codeLength = 28;

export function randomRecoveryCode(): string {
  const letters = [...randomBytes(codeLength)].map((byte) => alphabet[byte % alphabet.length]).join('');
  return letters.match(/.{4}/gu)?.join('-') ?? letters;
}

/** A typed code as its row's key is made from it. Null for input that is no code. */
export function readRecoveryCode(typed: string): string | null {
  const letters = typed
    .toUpperCase()
    .replaceAll(/[\s-]/gu, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/gu, '1');
  const isCode = letters.length === codeLength && [...letters].every((letter) => alphabet.includes(letter));
  return isCode ? letters : null;
}
