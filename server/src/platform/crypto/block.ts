import { createCipheriv, createDecipheriv } from 'node:crypto';

export const blockBytes = 16;

/** AES-256 on single blocks: one block in, one block out, or several independent blocks in one call. */
export type Block = ReturnType<typeof createBlock>;

/** ECB mode treats each block on its own, as is meant here. Ciphers are reused: creating one costs more than a block. */
export function createBlock(key: Buffer) {
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  return {
    encrypt: (plain: Buffer) => cipher.update(plain),
    decrypt: (encrypted: Buffer) => decipher.update(encrypted),
  };
}

/** Two 64-bit integers in one block. */
export function blockOf(first: bigint, second: bigint): Buffer {
  const plain = Buffer.alloc(blockBytes);
  plain.writeBigInt64BE(first);
  plain.writeBigInt64BE(second, 8);
  return plain;
}

/** One block for each number. */
export function numberBlocks(numbers: readonly number[]): Buffer {
  const plain = Buffer.alloc(numbers.length * blockBytes);
  for (const [index, number] of numbers.entries()) plain.writeDoubleBE(number, index * blockBytes);
  return plain;
}

/** The same, encrypted in one call. */
export const encryptNumbers = (block: Block, numbers: readonly number[]): Buffer[] =>
  splitBlocks(block.encrypt(numberBlocks(numbers)));

export function splitBlocks(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length / blockBytes }, (_, n) =>
    bytes.subarray(n * blockBytes, (n + 1) * blockBytes),
  );
}
