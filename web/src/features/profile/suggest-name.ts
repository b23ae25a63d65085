import { limits } from '@unsaid/contract';

// Small, quiet things; no word that could be somebody's name, place, faith or mood.
const first = (
  'quiet slow paper soft blue amber silver little gentle still early late misty mossy warm pale ' +
  'drifting hidden velvet copper hazel ivory linen wandering'
).split(' ');
const second = (
  'river moon monsoon kettle lantern fern window harbour meadow feather pebble willow cloud ' +
  'teacup orchard sparrow letter candle island compass ladder thread cotton tide'
).split(' ');

function pick<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** A number at the end, because two people like the same words. */
export function suggestName(random: () => number = Math.random): string {
  for (;;) {
    const name = `${pick(first, random)}_${pick(second, random)}${10 + Math.floor(random() * 90)}`;
    if (name.length <= limits.usernameChars) return name;
  }
}
