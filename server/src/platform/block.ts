import { createCipheriv, createDecipheriv } from 'node:crypto';

export const blockBytes = 16;

/** One AES-256 block in, one block out, or any number of them in one call. */
export interface Block {
  encrypt(plain: Buffer): Buffer;
  decrypt(encrypted: Buffer): Buffer;
}

/** ECB is exactly that: single blocks. The ciphers are reused because setting one up costs more than the block. */
export function createBlock(key: Buffer): Block {
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  return {
    encrypt: (plain) => cipher.update(plain),
    decrypt: (encrypted) => decipher.update(encrypted),
  };
}

/** Two numbers in one block. */
export function blockOf(first: bigint, second: bigint): Buffer {
  const plain = Buffer.alloc(blockBytes);
  plain.writeBigInt64BE(first);
  plain.writeBigInt64BE(second, 8);
  return plain;
}
