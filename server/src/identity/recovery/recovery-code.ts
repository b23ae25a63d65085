import { randomBytes } from 'node:crypto';
import type { Viewer } from '../../kernel/viewer.ts';
import { createKeyAead } from '../../platform/crypto/aead.ts';
import type { Keys } from '../../platform/crypto/keys.ts';

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

/**
 * A recovery code that was shown and not confirmed yet. Nothing of it is stored: its hash is encrypted into a proof
 * that the browser sends back. A session without the proof, which only reauth gives, can therefore make no code valid.
 */
interface Offer {
  readonly codeKey: Buffer;
  /** The code that was valid when the offer was made. If another one is valid by now, the offer is void. */
  readonly replaces: Buffer | null;
  /** In milliseconds. */
  readonly expiresAt: number;
}

const hashBytes = 32;
const noHash = Buffer.alloc(hashBytes);
const plainBytes = 2 * hashBytes + 8;

/** Bound to the session: the proof is worthless elsewhere, and after a log-out. */
const boundTo = ({ userId, sessionId }: Viewer) => Buffer.from(`${userId} ${sessionId}`);

export function sealOffer(keys: Keys, { codeKey, replaces, expiresAt }: Offer, viewer: Viewer): string {
  const expiry = Buffer.alloc(8);
  expiry.writeDoubleBE(expiresAt);
  const plain = Buffer.concat([codeKey, replaces ?? noHash, expiry]);
  return createKeyAead(keys, 'recovery-offer/1').seal(plain, boundTo(viewer)).toString('base64url');
}

/** Null for a forged proof, and for one of another session. */
export function openOffer(keys: Keys, proof: string, viewer: Viewer): Offer | null {
  const aead = createKeyAead(keys, 'recovery-offer/1');
  const plain = aead.open(Buffer.from(proof, 'base64url'), boundTo(viewer));
  if (plain?.length !== plainBytes) return null;
  const replaces = plain.subarray(hashBytes, 2 * hashBytes);
  return {
    codeKey: plain.subarray(0, hashBytes),
    replaces: replaces.equals(noHash) ? null : replaces,
    expiresAt: plain.readDoubleBE(2 * hashBytes),
  };
}
