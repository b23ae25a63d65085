import { createBlock, blockBytes, type Block } from '../platform/crypto/block.ts';
import type { Keys } from '../platform/crypto/keys.ts';

/** How a row speaks. Each voice has a key of its own: a speaker copied to a row of another voice decrypts to no one. */
export type Voice = 'vent' | 'named' | 'anonymous' | 'author';

/** The encrypted author as it is on the row of an item. */
export interface EncryptedAuthor {
  readonly voice: Voice;
  readonly speaker: Buffer;
}

const voices: readonly Voice[] = ['vent', 'named', 'anonymous', 'author'];

/**
 * The encrypted author of a vent or comment: one AES block over the speaker id and the item's number among the author's
 * own. It is different on every row; without the key no two rows can be linked.
 */
export interface Speakers {
  encrypt(voice: Voice, speakerId: Buffer, number: number): Buffer;
  /** The item's number among this person's own; null if the speaker is another person. */
  numberOf(voice: Voice, speaker: Buffer, speakerId: Buffer): number | null;
  /** The speaker id of a named comment. The other voices show no name. */
  named(speaker: Buffer): Buffer;
  /** The speaker id of any voice. Only moderation/authors.ts may call this. */
  open(voice: Voice, speaker: Buffer): Buffer;
}

const idBytes = 8;

export function createSpeakers(keys: Keys): Speakers {
  const blocks = Object.fromEntries(
    voices.map((voice) => [voice, createBlock(keys.permanent(`speaker-${voice}/1`))]),
  ) as Record<Voice, Block>;
  return {
    encrypt(voice, speakerId, number) {
      const plain = Buffer.alloc(blockBytes);
      speakerId.copy(plain);
      plain.writeDoubleBE(number, idBytes);
      return blocks[voice].encrypt(plain);
    },
    numberOf(voice, speaker, speakerId) {
      const plain = blocks[voice].decrypt(speaker);
      return plain.compare(speakerId, 0, idBytes, 0, idBytes) === 0 ? plain.readDoubleBE(idBytes) : null;
    },
    named: (speaker) => blocks.named.decrypt(speaker).subarray(0, idBytes),
    open: (voice, speaker) => blocks[voice].decrypt(speaker).subarray(0, idBytes),
  };
}
