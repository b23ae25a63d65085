/**
 * What people write is kept as they wrote it, minus what can only deceive or break:
 * characters that no keyboard means, invisible direction tricks, towers of marks.
 * Indian and Arabic scripts and family emoji need joiners, so those stay where they join something.
 */

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** What a person would count as characters. */
export function countGraphemes(text: string): number {
  let count = 0;
  for (const _ of segmenter.segment(text)) count += 1;
  return count;
}

export function countBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Controls (but tab and newlines), non-characters, and interlinear anchors: nobody types these. */
// oxlint-disable-next-line no-control-regex
const unacceptable = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\uFDD0-\uFDEF\uFFF9-\uFFFB]|[\uFFFE\uFFFF]/u;
const astralNonCharacter = /[\u{1FFFE}\u{1FFFF}\u{2FFFE}\u{2FFFF}\u{3FFFE}\u{3FFFF}\u{4FFFE}\u{4FFFF}\u{5FFFE}\u{5FFFF}\u{6FFFE}\u{6FFFF}\u{7FFFE}\u{7FFFF}\u{8FFFE}\u{8FFFF}\u{9FFFE}\u{9FFFF}\u{AFFFE}\u{AFFFF}\u{BFFFE}\u{BFFFF}\u{CFFFE}\u{CFFFF}\u{DFFFE}\u{DFFFF}\u{EFFFE}\u{EFFFF}\u{FFFFE}\u{FFFFF}\u{10FFFE}\u{10FFFF}]/u;

/** True when the text holds something that can be neither stored nor shown. */
export function isUnacceptable(text: string): boolean {
  return !text.isWellFormed() || unacceptable.test(text) || astralNonCharacter.test(text);
}

const directionControls = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\u206A-\u206F]/gu;
const invisible = /[\u00AD\u034F\u180E\u200B\u2060-\u2065\uFEFF]/gu;
/** Tag characters spell the flags of England, Scotland and Wales; anywhere else they hide text. */
const strayTags = /(?<!\u{1F3F4}[\u{E0020}-\u{E007F}]*)[\u{E0000}-\u{E007F}]+/gu;
const joinerRun = /[\u200C\u200D]+/gu;
const joinable = /[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]/u;
const markRun = /[\p{Mn}\p{Me}]{5,}/gu;
/** Look like nothing but are letters or symbols by category. */
const blankLookalikes = /[\u115F\u1160\u2800\u3164\uFFA0]/gu;

function keepJoinersThatJoin(text: string): string {
  return text.replace(joinerRun, (run, offset: number) => {
    const before = [...text.slice(Math.max(0, offset - 2), offset)].at(-1) ?? '';
    const after = String.fromCodePoint(text.codePointAt(offset + run.length) ?? 0x20);
    return joinable.test(before) && joinable.test(after) ? run.charAt(0) : '';
  });
}

/** Many lines allowed; more than one empty line in a row is not. */
export function cleanText(text: string): string {
  const plain = text
    .normalize('NFC')
    .replace(/\r\n?|[\u2028\u2029]/gu, '\n')
    .replaceAll('\t', ' ')
    .replace(directionControls, '')
    .replace(invisible, '')
    .replace(strayTags, '');
  return keepJoinersThatJoin(plain)
    .replace(markRun, (run) => [...run].slice(0, 4).join(''))
    .replace(/ +\n/gu, '\n')
    .replace(/\n{3,}/gu, '\n\n')
    .trim();
}

/** For names of things: all on one line. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/gu, ' ');
}

/** True when a reader would see nothing at all. */
export function isBlank(text: string): boolean {
  return cleanText(text).replace(blankLookalikes, '').trim() === '';
}
