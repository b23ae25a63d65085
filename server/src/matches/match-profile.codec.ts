import { randomInt } from 'node:crypto';
import { foldHashtag } from '@unsaid/contract';
import { createRowBox } from '../platform/boxes.ts';
import { dayMs, dayOf, startOfDay, type Day } from '../platform/clock.ts';
import { hmac, type Keys } from '../platform/keys.ts';
import type { Weights } from './emotion-space.ts';

/** What matching keeps of somebody's vents, and how it looks in its row. */
export interface Feelings {
  readonly weights: Weights;
  readonly tags: readonly number[];
  readonly lastActiveOn: Day;
}

/** Every row is as long as every other: its length must not tell how much somebody writes. */
const plainBytes = 64;
const tagsAt = 16;
export const maxTags = (plainBytes - tagsAt) / 4;
const precision = 100;
/** A rebuild meets the same tags again and again: so many are remembered. */
const mostNumbers = 50_000;
const emotionCount = 6;
const dayAt = emotionCount * 2;
const countAt = dayAt + 2;

export interface ProfileCodec {
  readonly sealedBytes: number;
  seal(feelings: Feelings): Buffer;
  openAll(sealed: Buffer): Feelings[];
  /** A tag as a number that only the key can lead back to it. */
  tagNumber(tag: string): number;
}

export function createProfileCodec(keys: Keys): ProfileCodec {
  const box = createRowBox(keys.lasting('match-profile/1'), plainBytes);
  const tagKey = keys.lasting('match-tag/1');
  const numbers = new Map<string, number>();
  return {
    sealedBytes: box.sealedBytes,
    seal({ weights, tags, lastActiveOn }) {
      const plain = Buffer.alloc(plainBytes);
      for (const [n, weight] of weights.entries()) {
        // The least bit of a feeling is still one.
        const kept = weight > 0 ? Math.max(1, Math.round(weight * precision)) : 0;
        plain.writeUInt16BE(Math.min(65_535, kept), n * 2);
      }
      plain.writeUInt16BE(startOfDay(lastActiveOn) / dayMs, dayAt);
      plain.writeUInt8(Math.min(maxTags, tags.length), countAt);
      for (const [n, tag] of tags.slice(0, maxTags).entries()) plain.writeInt32BE(tag, tagsAt + n * 4);
      return box.seal(plain);
    },
    openAll(sealed) {
      const plain = box.openAll(sealed);
      const days = new Map<number, Day>();
      const all: Feelings[] = [];
      // Plain loops: a search opens a thousand, and this is most of what it does with them.
      for (let at = 0; at + plainBytes <= plain.length; at += plainBytes) {
        const weights: number[] = [];
        for (let n = 0; n < emotionCount; n += 1) weights.push(plain.readUInt16BE(at + n * 2) / precision);
        const tags: number[] = [];
        const count = Math.min(maxTags, plain.readUInt8(at + countAt));
        for (let n = 0; n < count; n += 1) tags.push(plain.readInt32BE(at + tagsAt + n * 4));
        const dayNumber = plain.readUInt16BE(at + dayAt);
        let lastActiveOn = days.get(dayNumber);
        if (lastActiveOn === undefined) {
          lastActiveOn = dayOf(dayNumber * dayMs);
          days.set(dayNumber, lastActiveOn);
        }
        all.push({ weights, tags, lastActiveOn });
      }
      return all;
    },
    tagNumber(tag) {
      let number = numbers.get(tag);
      if (number === undefined) {
        number = hmac(tagKey, foldHashtag(tag)).readInt32BE();
        if (numbers.size >= mostNumbers) numbers.clear();
        numbers.set(tag, number);
      }
      return number;
    },
  };
}

/** Where a profile stands in its cell, and where a search begins: anywhere. */
export const drawShuffle = () => randomInt(-(2 ** 31), 2 ** 31);
