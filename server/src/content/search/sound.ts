/**
 * How a word sounds, as a key of Latin letters. Devanagari and the ways in which Hindi is typed in Latin letters have
 * the same key: नींद, neend and nind are all `nind`. The figures are in docs/performance.md, "Search by sound".
 */

export interface Sound {
  /** Usually one. ड़ and ढ़ are spelled d or r. */
  readonly keys: readonly string[];
  /** A Devanagari word in the one spelling that stands for all of its spellings. Null for Latin. */
  readonly spelling: string | null;
}

/** From U+0901 on, in the order of Unicode. */
const devanagari = (
  'n n - - a aa i i u u ri - e e e ai o o o au k kh g gh n ch ch j jh n t th d dh n t th d dh n n p f b bh m y r r l l ' +
  'l v sh sh s h - - - - aa i i u u ri - e e e ai o o o au'
).split(' ');
const isConsonantLetter = (char: string | undefined) => char !== undefined && char >= 'क' && char <= 'ह';
const isVowelSign = (char: string | undefined) => char !== undefined && char >= '\u093E' && char <= '\u094C';
const isVowel = (latin: string | undefined) => latin !== undefined && 'aeiou@'.includes(latin.charAt(0));
const virama = '\u094D';

/** Longer ones are not words. It limits the time that one takes. */
const longest = 40;

/** English that would sound like another English word, or like a frequent Hindi one. */
const asWritten = new Set(
  (
    'age all app arm baby bad bare bed been book bus but by call calls car cat class cool crying caring deep die fell feel ' +
    'feet food fool full gay good had hair hall hat he her hot job keep let lie look man may meet men mood moon need nice of ' +
    'off or pain pass pen per place pool pure rat room root run sad same scared see seed seen sheet she shit shoot shot ' +
    'sleep soon stress tail tell that the them then this tin to too took tree try use vent week weeks went why'
  ).split(' '),
);

/**
 * Devanagari in Latin letters. The vowel after a consonant that is not written, `@`, is silent at the end and between
 * two syllables, counted from the end: घबराहट is gh@b@raah@t@, said ghabraahat.
 */
function transliterate(word: string): string {
  const chars = [...word];
  const spoken: string[] = [];
  for (const [at, char] of chars.entries()) {
    const next = chars[at + 1];
    // At the end, and before ह, it is a nasal vowel, which people rarely spell.
    if (char === 'ं' && (next === undefined || next === 'ह')) continue;
    const latin = devanagari[char.charCodeAt(0) - 0x901];
    if (latin === undefined || latin === '-') continue;
    spoken.push(latin);
    if (isConsonantLetter(char) && next !== virama && !isVowelSign(next)) spoken.push('@');
  }
  if (spoken.at(-1) === '@') spoken.pop();
  for (let at = spoken.length - 3; at >= 2; at -= 1) {
    const isAfterSyllable = isVowel(spoken[at - 2]) && !isVowel(spoken[at - 1]);
    const isBeforeSyllable = !isVowel(spoken[at + 1]) && isVowel(spoken[at + 2]);
    if (spoken[at] === '@' && isAfterSyllable && isBeforeSyllable) spoken.splice(at, 1);
  }
  return spoken.join('').replaceAll('@', 'a');
}

function keyOf(latin: string): string {
  const spelled = latin
    .replace(/(?:ss|[st])ion(?=s?$)/u, 'shan')
    // Not heard, and often left out: placment.
    .replace(/e(?=ments?$)/u, '')
    .replace(/ce$/u, 's')
    .replace(/ge$/u, 'j')
    .replace(/sch/gu, 'sk')
    .replace(/ph/gu, 'f')
    // One letter for one sound: C is ch, S is sh.
    .replace(/cc?hh?/gu, 'C')
    .replace(/ss?hh?/gu, 'S')
    .replace(/ck/gu, 'k')
    .replace(/c(?=[eiy])/gu, 's')
    .replace(/[cq]/gu, 'k')
    .replace(/x/gu, 'ks')
    .replace(/([kgjdb])h/gu, '$1')
    .replace(/z/gu, 'j')
    .replace(/w/gu, 'v')
    .replace(/n(?=[pbm])/gu, 'm')
    .replace(/ee+/gu, 'i')
    .replace(/oo+/gu, 'u')
    .replace(/y/gu, 'i')
    .replace(/(.)\1+/gu, '$1')
    .replace(/a[ie](?=.)/gu, 'e')
    .replace(/a[uv](?=[^aeiou])/gu, 'o')
    .replace(/(?<=.)ii+/gu, 'i')
    .replace(/(?<=[^aeiou])[aeo]h(?=.)/gu, 'ah');
  // An a between consonants is often left out: zindgi, nhi. It stays in the shortest: bar would be br, like bhar.
  const short = spelled.replace(/(?<=[^aeiou])a(?=[^aeiou])/gu, '');
  return short.length >= 3 ? short : spelled;
}

/** Null for what is neither Devanagari nor Latin, and for what is found by its spelling alone. */
export function soundOf(said: string): Sound | null {
  if (said.length < 2 || said.length > longest) return null;
  const word = said.normalize('NFKD').toLowerCase();
  if (/^[\u0901-\u094D]+$/u.test(word)) {
    // Nukta, and the letters for a nasal before a consonant, are written or not.
    const spelling = word
      .replaceAll('ज\u094Dञ', 'ग\u094Dय')
      .replace(/[ङञणनम]\u094D(?=[क-म])/gu, 'ं')
      .replaceAll('ँ', 'ं');
    const bare = spelling.replaceAll('\u093C', '');
    const keys = [keyOf(transliterate(bare))];
    if (/[डढ]\u093C/u.test(spelling)) keys.push(keyOf(transliterate(spelling.replace(/[डढ]\u093C/gu, 'र'))));
    return { keys, spelling: bare };
  }
  const latin = word.replace(/\p{M}/gu, '');
  const isEnglish = asWritten.has(latin) || (latin.length < 5 && /c(?!h)/u.test(latin));
  return /^[a-z]+$/u.test(latin) && !isEnglish ? { keys: [keyOf(latin)], spelling: null } : null;
}
