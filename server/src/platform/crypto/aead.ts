import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

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

export function createAead(key: Buffer): Aead {
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
