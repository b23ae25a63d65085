import { createBlock, blockBytes, type Block } from './block.ts';
import type { Keys } from './keys.ts';

/** In which voice a row speaks. Each has a key of its own: a speaker moved to another voice opens to nobody. */
export type Voice = 'vent' | 'named' | 'anonymous' | 'author';

const voices: readonly Voice[] = ['vent', 'named', 'anonymous', 'author'];

/**
 * The speaker of a vent or comment: one AES block over the speaker's id and the number of the item among their own. It
 * differs on every row, and without the key no two rows can be compared.
 */
export interface Speakers {
  encrypt(voice: Voice, speakerId: Buffer, number: number): Buffer;
  /** The item's number among the asker's own; null where somebody else speaks. */
  numberOf(voice: Voice, speaker: Buffer, speakerId: Buffer): number | null;
  /** Whose public name stands under a comment. No other voice has one. */
  named(speaker: Buffer): Buffer;
}

const idBytes = 8;

export function createSpeakers(keys: Keys): Speakers {
  const blocks = Object.fromEntries(
    voices.map((voice) => [voice, createBlock(keys.lasting(`speaker-${voice}/1`))]),
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
  };
}
