const beyondAscii = /[^\0-\x7F]/u;
const combiningMarks = /[\u0300-\u036F]/gu;
const pictographs = /\p{Extended_Pictographic}/gu;
const betweenWords = /[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}]+/gu;

/** Without case and accents. */
export function fold(text: string): string {
  // Most texts. Normalizing is the slowest step, and changes nothing here.
  if (!beyondAscii.test(text)) return text.toLowerCase();
  return text.normalize('NFD').replace(combiningMarks, '').normalize('NFC').toLowerCase();
}

/** The words of a text, folded, with a space around each: so that ` a b ` is found as a whole. */
export function wordsOf(text: string): string {
  const words = fold(text).replace(pictographs, ' $& ').replace(betweenWords, ' ').trim();
  return words === '' ? '' : ` ${words} `;
}

/** False for punctuation alone. */
export function hasWords(text: string): boolean {
  return wordsOf(text) !== '';
}
