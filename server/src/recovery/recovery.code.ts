import { hash, randomBytes } from 'node:crypto';

/** Crockford's: no letter looks like a digit, and hardly a word comes about. Each stands for five bits. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 140 bits, in groups that a person can copy from a screen to paper. */
const codeLength = 28;

export function drawRecoveryCode(): string {
  const letters = [...randomBytes(codeLength)].map((byte) => alphabet[byte % alphabet.length]).join('');
  return letters.match(/.{4}/gu)?.join('-') ?? letters;
}

/** What is kept. Null for what no code could be. */
export function hashRecoveryCode(typed: string): Buffer | null {
  const letters = typed
    .toUpperCase()
    .replaceAll(/[\s-]/gu, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/gu, '1');
  const isCode = letters.length === codeLength && [...letters].every((letter) => alphabet.includes(letter));
  return isCode ? hash('sha256', letters, 'buffer') : null;
}
