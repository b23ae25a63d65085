import { blockBytes, createBlock, type Block } from './block.ts';
import type { KeyLabel } from './key-labels.ts';
import { perGeneration, type Keys } from './keys.ts';

/** Half a block of zeroes. A forged id decrypts to zeroes here with a probability of 2^-64. */
const emptyTag = Buffer.alloc(8);

/**
 * A public id: one AES block over a row's number. It shows no order and no time, and cannot be guessed or forged
 * without the key, which is not in the database (docs/adr/0002).
 */
export interface PublicId {
  encode(id: bigint): string;
  /** Null for anything that this codec did not encode. */
  decode(text: string): bigint | null;
}

/** The permanent key first. Ids that a replaced one made, in links and open pages, still work: an id opens nothing. */
export const keysOfIds = (keys: Keys, label: KeyLabel): readonly [Buffer, ...Buffer[]] => {
  const permanent = keys.permanent(label);
  const others = keys.every(label).map(({ key }) => key);
  return [permanent, ...others.filter((key) => key !== permanent)];
};

export function createPublicId(keys: Keys, label: KeyLabel): PublicId {
  const blocks = perGeneration(keys, () => keysOfIds(keys, label).map(createBlock));
  return {
    encode(id) {
      const plain = Buffer.alloc(blockBytes);
      plain.writeBigInt64BE(id);
      return (blocks()[0] as Block).encrypt(plain).toString('base64url');
    },
    decode(text) {
      if (text.length !== 22) return null;
      const bytes = Buffer.from(text, 'base64url');
      // The last base64url character has spare bits; only the canonical spelling is accepted.
      if (bytes.length !== blockBytes || bytes.toString('base64url') !== text) return null;
      for (const block of blocks()) {
        const plain = block.decrypt(bytes);
        if (plain.subarray(8).equals(emptyTag)) return plain.readBigInt64BE();
      }
      return null;
    },
  };
}
