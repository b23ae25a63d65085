import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { TurningLabel } from './key-labels.ts';
import { perRing, type Keys, type Ring } from './keys.ts';

const nonceBytes = 12;
const tagBytes = 16;

/** Authenticated encryption (AES-256-GCM): nonce, tag and ciphertext in one buffer. */
export interface Aead {
  /** `additionalData` is authenticated and not stored: it binds the ciphertext to its row. */
  seal(plain: Buffer, additionalData?: Buffer): Buffer;
  /** Null when the key or the additional data differ, or a byte was changed. */
  open(sealed: Buffer, additionalData?: Buffer): Buffer | null;
}

const noAdditionalData = Buffer.alloc(0);

/** Seals with the first key, opens what any of them sealed. */
export function createRingAead([first, ...others]: Ring): Aead {
  const [sealing, ...opening] = [createAead(first), ...others.map(createAead)] as const;
  return {
    seal: sealing.seal,
    open: (sealed, additionalData) =>
      opening.reduce(
        (plain, aead) => plain ?? aead.open(sealed, additionalData),
        sealing.open(sealed, additionalData),
      ),
  };
}

/** With the data keys of a use, also those that are added later. */
export function createKeyAead(keys: Keys, label: TurningLabel): Aead {
  const aead = perRing(keys, label, createRingAead);
  return {
    seal: (plain, additionalData) => aead().seal(plain, additionalData),
    open: (sealed, additionalData) => aead().open(sealed, additionalData),
  };
}

function createAead(key: Buffer): Aead {
  return {
    seal(plain, additionalData = noAdditionalData) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(additionalData);
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    open(sealed, additionalData = noAdditionalData) {
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), {
          authTagLength: tagBytes,
        })
          .setAAD(additionalData)
          .setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
        return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
      } catch {
        return null;
      }
    },
  };
}
