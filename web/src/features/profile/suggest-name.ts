import { limits } from '@unsaid/contract';

// Neutral words. None of them can be a person's name, place, religion or mood.
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

/** With two digits, to make collisions rare. */
export function suggestName(random: () => number = Math.random): string {
  for (;;) {
    const name = `${pick(first, random)}_${pick(second, random)}${10 + Math.floor(random() * 90)}`;
    if (name.length <= limits.usernameChars) return name;
  }
}
