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

export interface RowBox {
  readonly sealedBytes: number;
  seal(plain: Buffer): Buffer;
  /** Any number of sealed rows, one behind the other, to as many plain ones. */
  openAll(sealed: Buffer): Buffer;
}

/**
 * Rows of one fixed size, a thousand of which are opened at a time. AES in counter mode with a nonce for each
 * row, written as one run of single blocks over all counters: setting a cipher up for each row would cost
 * more than all the rest of a search. There is no tag: a copy of the table must tell nothing, and whoever
 * can write to the table needs no forgery.
 */
export function createRowBox(key: Buffer, plainBytes: number): RowBox {
  const blockBytes = 16;
  const blocks = plainBytes / blockBytes;
  const block = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  const sealedBytes = nonceBytes + plainBytes;

  /** What is laid over the plain bytes, for the rows whose nonces stand in `sealed`. */
  function stream(sealed: Buffer, rows: number): Buffer {
    const counters = Buffer.alloc(rows * plainBytes);
    for (let row = 0; row < rows; row += 1) {
      const from = row * sealedBytes;
      for (let n = 0; n < blocks; n += 1) {
        const at = row * plainBytes + n * blockBytes;
        // Byte by byte: calling a copy for so few costs more than the bytes.
        for (let byte = 0; byte < nonceBytes; byte += 1) counters[at + byte] = sealed[from + byte] as number;
        counters[at + blockBytes - 1] = n;
      }
    }
    return block.update(counters);
  }

  return {
    sealedBytes,
    seal(plain) {
      const sealed = Buffer.concat([randomBytes(nonceBytes), plain]);
      const over = stream(sealed, 1);
      for (let at = 0; at < plainBytes; at += 1) {
        sealed[nonceBytes + at] = (plain[at] as number) ^ (over[at] as number);
      }
      return sealed;
    },
    openAll(sealed) {
      const rows = Math.floor(sealed.length / sealedBytes);
      const plain = stream(sealed, rows);
      for (let row = 0; row < rows; row += 1) {
        const to = row * plainBytes;
        const from = row * sealedBytes + nonceBytes;
        for (let at = 0; at < plainBytes; at += 1) plain[to + at]! ^= sealed[from + at] as number;
      }
      return plain;
    },
  };
}
