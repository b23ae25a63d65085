import { createBlock, blockBytes, splitBlocks, type Block } from '../platform/crypto/block.ts';
import { perRing, type Keys } from '../platform/crypto/keys.ts';
import type { CommentId } from './public-ids.ts';

/** How a row speaks. Each voice has a key of its own: a speaker copied to a row of another voice decrypts to no one. */
export type Voice = 'vent' | 'named' | 'anonymous' | 'author';

/** The row that a speaker is bound to: copied to another one, it decrypts to no one. A vent has the number 0. */
export interface SpeakerPlace extends CommentId {
  readonly voice: Voice;
}

export const ventPlace = (ventId: bigint): SpeakerPlace => ({ voice: 'vent', ventId, no: 0 });

/** The encrypted author as it is on the row of an item. */
export interface EncryptedAuthor extends SpeakerPlace {
  readonly speaker: Buffer;
}

const voices: readonly Voice[] = ['vent', 'named', 'anonymous', 'author'];

/**
 * The encrypted author of a vent or comment: one AES block over the speaker id, the item's number among the author's own
 * and four zero bytes as a check. It is different on every row; without the key no two rows can be linked.
 */
export type Speakers = ReturnType<typeof createSpeakers>;

const idBytes = 8;
const checkAt = 12;

function xor(bytes: Buffer, mask: Buffer): Buffer {
  for (let n = 0; n < bytes.length; n += 1) bytes[n]! ^= mask[n]!;
  return bytes;
}

/** XEX: a mask of the place before and after the cipher makes it another permutation at every place. */
export function createSpeakers(keys: Keys) {
  /** The first encrypts. Keys of one age are added together, so they stand at the same place of each ring. */
  const ciphers = perRing(keys, 'speaker-place/1', (ring) =>
    ring.map((place, n) => ({
      places: createBlock(place),
      blocks: Object.fromEntries(
        voices.map((voice) => [voice, createBlock(keys.ring(`speaker-${voice}/1`)[n] as Buffer)]),
      ) as Record<Voice, Block>,
    })),
  );
  type Cipher = ReturnType<typeof ciphers>[number];

  function masksOf({ places }: Cipher, items: readonly CommentId[]): Buffer {
    const plain = Buffer.alloc(items.length * blockBytes);
    for (const [n, { ventId, no }] of items.entries()) {
      plain.writeBigInt64BE(ventId, n * blockBytes);
      plain.writeInt32BE(no, n * blockBytes + checkAt);
    }
    return places.encrypt(plain);
  }

  function openWith(cipher: Cipher, voice: Voice, authors: readonly EncryptedAuthor[]) {
    const masks = masksOf(cipher, authors);
    const masked = xor(Buffer.concat(authors.map(({ speaker }) => speaker)), masks);
    return splitBlocks(xor(cipher.blocks[voice].decrypt(masked), masks)).map((plain) =>
      plain.readUInt32BE(checkAt) === 0
        ? { speakerId: plain.subarray(0, idBytes), number: plain.readUInt32BE(idBytes) }
        : null,
    );
  }

  function openAll(voice: Voice, authors: readonly EncryptedAuthor[]) {
    const [first, ...others] = ciphers() as [Cipher, ...Cipher[]];
    return openWith(first, voice, authors).map((opened, n) =>
      others.reduce(
        (found, cipher) => found ?? openWith(cipher, voice, [authors[n] as EncryptedAuthor])[0] ?? null,
        opened,
      ),
    );
  }

  const openOne = (author: EncryptedAuthor) => openAll(author.voice, [author])[0] ?? null;

  return {
    /** For so many places, one after the other: of a vent, from this number on. */
    encrypt({ voice, ventId, no }: SpeakerPlace, speakerId: Buffer, number: number, places = 1) {
      const block = Buffer.alloc(blockBytes);
      speakerId.copy(block);
      block.writeUInt32BE(number, idBytes);
      const [cipher] = ciphers() as [Cipher];
      const masks = masksOf(
        cipher,
        Array.from({ length: places }, (_, n) => ({ ventId, no: no + n })),
      );
      const plain = Buffer.alloc(masks.length, block);
      return xor(cipher.blocks[voice].encrypt(xor(plain, masks)), masks);
    },
    /** The item's number among this person's own; null if the speaker is another person. */
    numberOf(author: EncryptedAuthor, speakerId: Buffer): number | null {
      const opened = openOne(author);
      return opened?.speakerId.equals(speakerId) ? opened.number : null;
    },
    /** Those that this person wrote. Of a whole page at once: calling the cipher costs more than a block. */
    ownAmong<A extends EncryptedAuthor>(authors: readonly A[], speakerId: Buffer) {
      const own = new Set<A>();
      for (const [voice, some] of Map.groupBy(authors, (author) => author.voice))
        for (const [n, opened] of openAll(voice, some).entries())
          if (opened?.speakerId.equals(speakerId)) own.add(some[n] as A);
      return own;
    },
    /** The speaker ids of named comments; null for one that was copied here. The other voices show no name. */
    named: (authors: readonly EncryptedAuthor[]) =>
      openAll('named', authors).map((opened) => opened?.speakerId ?? null),
    /** The speaker id of any voice; null for one that was copied here. Only moderation/authors.ts may call this. */
    open: (author: EncryptedAuthor) => openOne(author)?.speakerId ?? null,
  };
}
