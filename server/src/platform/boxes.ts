import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Values that only the master key can read, for what must be stored but must not be joined with anything. */

const nonceBytes = 12;
const tagBytes = 16;

export interface Box {
  /** `context` is not stored but must be the same on opening, so that a box moved elsewhere stays shut. */
  seal(plain: Buffer, context?: Buffer): Buffer;
  /** Null where this key did not seal it, or not in this context. */
  open(sealed: Buffer, context?: Buffer): Buffer | null;
}

const nowhere = Buffer.alloc(0);

export function createBox(key: Buffer): Box {
  return {
    seal(plain, context = nowhere) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(context);
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    open(sealed, context = nowhere) {
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), {
          authTagLength: tagBytes,
        })
          .setAAD(context)
          .setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
        return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
      } catch {
        return null;
      }
    },
  };
}
