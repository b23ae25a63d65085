/**
 * One spelling for words that people spell in many ways, so that a phrase is listed once. Hindi is transliterated:
 * Hindi and Hinglish (Hindi in Latin letters) then share every phrase. Every step is one pass over the text.
 */

/** Steps taken so far, of folding and of searching. Counted for the proof that a scan takes linear time. */
export const work = { steps: 0 };

export interface Sentence {
  /** Folded. */
  readonly words: string[];
  /** For each word: stands between quotation marks. */
  readonly isQuoted: boolean[];
}

/** From U+0901 on, in the order of Unicode. A ~ is a nasal that is not spelled the same everywhere. */
const devanagari = (
  '~ ~ - - a a i i u u ri - e e e ai o o o au k kh g gh n ch ch j jh n t th d dh n t th d dh n n p f b bh m y r r l l ' +
  'l v sh sh s h - - - - aa i i u u ri - e - e ai o - o au'
).split(' ');
/** Digits and signs that stand for letters: k!ll, su1cide. A star hides one: k*ll. */
const lookAlikes: Readonly<Record<string, string>> = {
  ...{ '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '@': 'a', $: 's', '!': 'i', '*': '' },
};
const laughing = new Set(['😂', '🤣', '💀', '😹', '☠']);
const sentenceEnds = '.!?\n।॥;…';
const inWord = "'’‘`´\u093C\u094D\u00AD\u200B\u200C\u200D\u2060\uFEFF\uFE0F";

const isVowel = (char: string | undefined) => char !== undefined && 'aeiou'.includes(char);
const isLatin = (char: string | undefined) => char !== undefined && char >= 'a' && char <= 'z';
const isDigit = (char: string | undefined) => char !== undefined && char >= '0' && char <= '9';

/** The letters of one word in lower case. */
export function foldWord(word: string): string {
  work.steps += word.length;
  let folded = word
    .replace(/([a-z])\1\1+/gu, '$1')
    // To hit, maarna, is not to die, marna.
    .replace(/^maar/u, 'maer')
    .replace(/aa/gu, 'a')
    // pehle, pahle; rehna, rahna
    .replace(/eh/gu, 'ah')
    .replace(/ee|ii/gu, 'i')
    .replace(/oo|uu/gu, 'u')
    .replace(/chh/gu, 'ch')
    .replace(/chch|cch/gu, 'ch')
    .replace(/([b-df-hj-np-tv-z])\1/gu, '$1')
    .replace(/ph/gu, 'f')
    .replace(/z/gu, 'j')
    .replace(/w/gu, 'v')
    .replace(/q/gu, 'k')
    .replace(/iy/gu, 'i')
    .replace(/([eiou])~$/u, '$1')
    .replace(/^(.?a)~$/u, '$1')
    .replace(/~/gu, 'n')
    .replace(/ung/gu, 'ug');
  // A nasal at the end is often left out: main, mai; hoon, hu; nahin, nahi.
  // bin is bina, without.
  if (folded.length > 2 && folded !== 'bin' && /[eiou]n$/u.test(folded)) folded = folded.slice(0, -1);
  // An a between consonants is often left out as well, and Hindi does not write a short one: karna, krna.
  let kept = '';
  for (let at = 0; at < folded.length; at += 1) {
    const isInner = at > 0 && at < folded.length - 1;
    if (folded[at] === 'a' && isInner && !isVowel(folded[at - 1]) && !isVowel(folded[at + 1])) continue;
    kept += folded[at];
  }
  if (kept.length > 5 && kept.endsWith('ing')) return kept.slice(0, -3);
  if (kept.length > 5 && kept.endsWith('s')) return kept.slice(0, -1);
  // Gender and number: chahta, chahti, chahte.
  return kept.length > 3 && /[aei]$/u.test(kept) ? kept.slice(0, -1) : kept;
}

const newSentence = (): Sentence => ({ words: [], isQuoted: [] });

/** The text as sentences of folded words. Numbers become # or, from two digits on, ##; laughing faces become lol. */
export function toSentences(text: string): Sentence[] {
  const lower = text.toLowerCase();
  const sentences: Sentence[] = [];
  let sentence = newSentence();
  let word = '';
  let isQuoted = false;
  /** Hindi does not write the a of a consonant; before a vowel or ह it is heard: गई, gai; पहले, pahle. */
  let endsInConsonant = false;
  /** Words repeat, and folding one takes many steps. */
  const known = new Map<string, string>();

  function addWord(folded: string): void {
    sentence.words.push(folded);
    sentence.isQuoted.push(isQuoted);
  }
  function endWord(): void {
    endsInConsonant = false;
    if (word === '') return;
    let folded = known.get(word);
    if (folded === undefined) {
      if (isDigit(word[0])) folded = word.length > 1 ? '##' : '#';
      else folded = foldWord(word.replace(/[0-9]/gu, (digit) => lookAlikes[digit] ?? ''));
      known.set(word, folded);
    }
    addWord(folded);
    word = '';
  }
  function endSentence(): void {
    if (sentence.words.length === 0) return;
    sentences.push(sentence);
    sentence = newSentence();
  }
  /** False where the character is not part of a word. */
  function addOther(char: string, next: string | undefined): boolean {
    if (inWord.includes(char) || (char >= '\u0300' && char <= '\u036F')) return true;
    if (char >= '\u0901' && char <= '\u094C') {
      if (endsInConsonant && ((char >= '\u0904' && char <= '\u0914') || char === 'ह')) word += 'a';
      endsInConsonant = char >= '\u0915' && char <= '\u0939';
      word += devanagari[char.charCodeAt(0) - 0x901] ?? '';
      return true;
    }
    endsInConsonant = false;
    if (word !== '' && char in lookAlikes && isLatin(next)) {
      word += lookAlikes[char];
      return true;
    }
    if (char < '\u00C0') return false;
    // Accents, and letters in another style: full width, bold.
    const [plain] = char.normalize('NFKD').toLowerCase();
    if (!isLatin(plain)) return false;
    word += plain;
    return true;
  }

  for (let at = 0; at < lower.length;) {
    work.steps += 1;
    let end = at;
    while (end < lower.length && (isLatin(lower[end]) || isDigit(lower[end]))) end += 1;
    if (end > at) {
      work.steps += end - at;
      word += lower.slice(at, end);
      endsInConsonant = false;
      at = end;
      continue;
    }
    const char = String.fromCodePoint(lower.codePointAt(at) as number);
    const next = lower[at + char.length];
    if (char === ' ') endWord();
    else if (!addOther(char, next)) {
      endWord();
      if (char === '"') isQuoted = !isQuoted;
      else if (char === '“' || char === '”') isQuoted = char === '“';
      else if (laughing.has(char)) {
        // After a full stop it still speaks of what came before.
        if (sentence.words.length === 0) sentence = sentences.pop() ?? sentence;
        addWord('lol');
      } else if (sentenceEnds.includes(char) && !(char === '.' && (next === '.' || lower[at - 1] === '.')))
        endSentence();
    }
    at += char.length;
  }
  endWord();
  endSentence();
  return sentences;
}
