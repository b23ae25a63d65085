import { createKeyAead } from '../../platform/crypto/aead.ts';
import type { Keys } from '../../platform/crypto/keys.ts';
import type { Viewer } from '../../kernel/viewer.ts';

/**
 * A recovery code that was shown and not confirmed yet. Nothing of it is stored: its hash is encrypted into a proof
 * that the browser sends back. A session without the proof, which only reauth gives, can therefore make no code valid.
 */
export interface Offer {
  readonly codeKey: Buffer;
  /** The code that was valid when the offer was made. If another one is valid by now, the offer is void. */
  readonly replaces: Buffer | null;
  /** In milliseconds. */
  readonly expiresAt: number;
}

const hashBytes = 32;
const noHash = Buffer.alloc(hashBytes);
const plainBytes = 2 * hashBytes + 8;

export function createOfferCodec(keys: Keys) {
  const aead = createKeyAead(keys, 'recovery-offer/1');
  // Bound to the session: the proof is worthless elsewhere, and after a log-out.
  const additionalData = ({ userId, sessionId }: Viewer) => Buffer.from(`${userId} ${sessionId}`);
  return {
    seal({ codeKey, replaces, expiresAt }: Offer, viewer: Viewer): string {
      const expiry = Buffer.alloc(8);
      expiry.writeDoubleBE(expiresAt);
      const plain = Buffer.concat([codeKey, replaces ?? noHash, expiry]);
      return aead.seal(plain, additionalData(viewer)).toString('base64url');
    },
    /** Null for a forged proof, and for one of another session. */
    open(proof: string, viewer: Viewer): Offer | null {
      const plain = aead.open(Buffer.from(proof, 'base64url'), additionalData(viewer));
      if (plain?.length !== plainBytes) return null;
      const replaces = plain.subarray(hashBytes, 2 * hashBytes);
      return {
        codeKey: plain.subarray(0, hashBytes),
        replaces: replaces.equals(noHash) ? null : replaces,
        expiresAt: plain.readDoubleBE(2 * hashBytes),
      };
    },
  };
}
