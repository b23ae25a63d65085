import { blockBytes, createBlock } from './block.ts';
import type { LastingLabel } from './key-labels.ts';
import type { Keys } from './keys.ts';

/** Half a block of zeroes. A forged id decrypts to zeroes here with a probability of 2^-64. */
const emptyTag = Buffer.alloc(8);

/**
 * A public id: one AES block over a row's number. It shows no order and no time, and cannot be guessed or forged
 * without the key, which is not in the database (docs/adr/0002).
 */
export function createPublicId(keys: Keys, label: LastingLabel) {
  const block = createBlock(keys.of(label));
  return {
    encode(id: bigint): string {
      const plain = Buffer.alloc(blockBytes);
      plain.writeBigInt64BE(id);
      return block.encrypt(plain).toString('base64url');
    },
    /** Null for anything that this codec did not encode. */
    decode(text: string): bigint | null {
      if (text.length !== 22) return null;
      const bytes = Buffer.from(text, 'base64url');
      // The last base64url character has spare bits; only the canonical spelling is accepted.
      if (bytes.length !== blockBytes || bytes.toString('base64url') !== text) return null;
      const plain = block.decrypt(bytes);
      return plain.subarray(8).equals(emptyTag) ? plain.readBigInt64BE() : null;
    },
  };
}
