/**
 * Text is stored as written, without characters that only deceive or break rendering: control characters, invisible
 * direction controls, stacked combining marks. Indic and Arabic scripts and family emoji need joiners, so joiners stay
 * where they join something.
 */

let segmenter: Intl.Segmenter | undefined;

/** Each of these is a character by itself. A carriage return is not: with a newline it is one. */
const plain = /^[\n\x20-\x7E]*$/u;

/** Counts user-perceived characters. */
export function countGraphemes(text: string): number {
  if (plain.test(text)) return text.length;
  // Created lazily: it takes a quarter of a second on a cheap phone, and most visits do not need it.
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  let count = 0;
  for (const _ of segmenter.segment(text)) count += 1;
  return count;
}

export function countBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

/**
 * Whether a text has at most so many characters, also after the normalization that the guards and search read it in: one
 * U+FDFA becomes 18 letters there. Ordinary text of any script has three code units a character at most.
 */
export function isWithin(text: string, max: number): boolean {
  // No text has more characters than code units: most are within without being counted.
  return (text.length <= max || countGraphemes(text) <= max) && text.normalize('NFKD').length <= 4 * max;
}

/** Controls except tab and newlines, noncharacters, and interlinear annotation anchors: no keyboard types these. */
const unacceptable =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\uFDD0-\uFDEF\uFFF9-\uFFFB]|[\uFFFE\uFFFF]/u;
const astralNonCharacter =
  /[\u{1FFFE}\u{1FFFF}\u{2FFFE}\u{2FFFF}\u{3FFFE}\u{3FFFF}\u{4FFFE}\u{4FFFF}\u{5FFFE}\u{5FFFF}\u{6FFFE}\u{6FFFF}\u{7FFFE}\u{7FFFF}\u{8FFFE}\u{8FFFF}\u{9FFFE}\u{9FFFF}\u{AFFFE}\u{AFFFF}\u{BFFFE}\u{BFFFF}\u{CFFFE}\u{CFFFF}\u{DFFFE}\u{DFFFF}\u{EFFFE}\u{EFFFF}\u{FFFFE}\u{FFFFF}\u{10FFFE}\u{10FFFF}]/u;

/** True if the text contains a character that can be neither stored nor shown. */
export function isUnacceptable(text: string): boolean {
  return !text.isWellFormed() || unacceptable.test(text) || astralNonCharacter.test(text);
}

const directionControls = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\u206A-\u206F]/gu;
const invisible =
  /[\u034F\u00AD\u180E\u200B\u2060-\u2065\uFEFF\uFFF0-\uFFF8\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0080}-\u{E00FF}\u{E01F0}-\u{E0FFF}]/gu;
/** Tag characters encode the flags of England, Scotland and Wales; elsewhere they hide text. */
const flagOrStrayTags =
  /(\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{3,6}\u{E007F})|[\u{E0000}-\u{E007F}]+/gu;
const joinerRun = /[\u200C\u200D]+/gu;
const joinable = /[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]/u;
/** A joiner after a virama shapes the letter before it, also at the end of a word: chillu, khanda ta. */
const virama = /[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D4D\u0DCA]/u;
/** Joiners between the marks count as part of the run. */
const markRun = /(?:[\p{Mn}\p{Me}][\u200C\u200D]?){5,}/gu;
const firstFourMarks = /^(?:[\p{Mn}\p{Me}][\u200C\u200D]?){3}[\p{Mn}\p{Me}]/u;
/** Render as blank whatever their category: fillers, selectors without a letter, empty Braille, null notehead. */
const unseen = /[\s\u2800\u{1D159}\p{Default_Ignorable_Code_Point}]/gu;

function keepJoinersThatJoin(text: string): string {
  return text.replace(joinerRun, (run, offset: number) => {
    const before = [...text.slice(Math.max(0, offset - 2), offset)].at(-1) ?? '';
    const after = String.fromCodePoint(text.codePointAt(offset + run.length) ?? 0x20);
    return virama.test(before) || (joinable.test(before) && joinable.test(after)) ? run.charAt(0) : '';
  });
}

/**
 * Keeps newlines, with at most one empty line in a row. Removing a character can bring others into a new order, so it
 * repeats until nothing changes: cleaning is idempotent.
 */
export function cleanText(text: string): string {
  let current = text;
  for (let pass = 0; pass < 5; pass += 1) {
    const next = cleanOnce(current);
    if (next === current) break;
    current = next;
  }
  return current;
}

function cleanOnce(text: string): string {
  const plain = text
    .replace(/\r\n?|[\u2028\u2029]/gu, '\n')
    .replaceAll('\t', ' ')
    .replace(directionControls, '')
    .replace(invisible, '')
    .replace(flagOrStrayTags, (_, flag: string | undefined) => flag ?? '');
  // NFC before the joiners are checked, and again after joiners and after marks are removed.
  return keepJoinersThatJoin(plain.normalize('NFC'))
    .normalize('NFC')
    .replace(markRun, (run) => firstFourMarks.exec(run)?.[0] ?? '')
    .normalize('NFC')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/gu, '\n\n')
    .trim();
}

/** For single-line fields. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/gu, ' ');
}

/** True if the text renders as blank. */
export function isBlank(text: string): boolean {
  return cleanText(text).replace(unseen, '') === '';
}
