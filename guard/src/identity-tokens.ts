import { cuesOfWord, type Cue } from './identity-words.ts';

/** In order of precedence where findings overlap. */
export const rules = ['email', 'upi', 'aadhaar', 'pan', 'phone', 'link', 'handle'] as const;

export type IdentityRule = (typeof rules)[number];

/** A finding by its tokens. */
export interface Found {
  readonly rule: IdentityRule;
  readonly first: number;
  readonly last: number;
}

/**
 * A text as words, digits and signs in one spelling, with their places in the original. One pass over the code points:
 * digits of all scripts, fullwidth, circled and keycap digits become 0 to 9; accents, zero-width characters and
 * nuktas go; letters become lower case, Cyrillic and Greek look-alikes Latin.
 */
export interface Token {
  readonly kind: 'word' | 'digits' | 'sign';
  text: string;
  readonly start: number;
  end: number;
  /** No white space between this and the token before. */
  readonly isGlued: boolean;
  readonly startsLine: boolean;
  cues: ReadonlySet<Cue>;
}

const noCues: ReadonlySet<Cue> = new Set();

const decimal = /\p{Nd}/u;
/** Code points before the digit one of the filled circles, which have no zero. */
const circles = [0x2775, 0x277f, 0x2789, 0x24f4];
const lookAlikes: Readonly<Record<string, string>> = {
  ...{ а: 'a', е: 'e', о: 'o', р: 'p', с: 'c', х: 'x', у: 'y', і: 'i', к: 'k', м: 'm', т: 't', н: 'h' },
  ...{ ο: 'o', α: 'a', ı: 'i', '\u0901': '\u0902', '⓿': '0' },
};
const letter = /[\p{L}\p{M}]/u;
const invisible = /\p{Default_Ignorable_Code_Point}|\u20E3|\u093C|[\u0300-\u036F]/u;

function foldedDigit(code: number): string | undefined {
  const isDecimal = (at: number) => decimal.test(String.fromCodePoint(at));
  if (isDecimal(code)) {
    // The digits of every script stand in order, from zero to nine. A few sets follow one another.
    let zero = code;
    while (isDecimal(zero - 1)) zero -= 1;
    return String((code - zero) % 10);
  }
  for (const before of circles) if (code > before && code < before + 10) return String(code - before);
  return undefined;
}

type Kind = Token['kind'] | 'space';
/** A folded character with its kind. One character may fold to several, or to none if nobody sees it. */
type Part = readonly [text: string, kind: Kind];

function foldChar(char: string, code: number): string {
  if (code < 0x80) return char.toLowerCase();
  const isDevanagari = code >= 0x900 && code <= 0x957;
  const folded = foldedDigit(code) ?? (isDevanagari ? char : char.normalize('NFKD').toLowerCase());
  return lookAlikes[folded] ?? folded;
}

function kindOf(char: string): Kind {
  if (char >= 'a' && char <= 'z') return 'word';
  if (char >= '0' && char <= '9') return 'digits';
  if (char.trim() === '') return 'space';
  return char > '\u007F' && letter.test(char) ? 'word' : 'sign';
}

export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  /** A text has few different characters, and folding one costs more than looking it up. */
  const folds = new Map<string, readonly Part[]>();
  let last: Token | undefined;
  let isGlued = false;
  let startsLine = true;
  let end = 0;
  for (const char of text) {
    const start = end;
    end += char.length;
    let parts = folds.get(char);
    if (!parts) {
      const folded = [...foldChar(char, char.codePointAt(0) ?? 0)].filter((part) => !invisible.test(part));
      parts = folded.map((part) => [part, kindOf(part)]);
      folds.set(char, parts);
    }
    // A keycap is a digit and two invisible characters: they belong to the token.
    if (parts.length === 0 && last && isGlued) last.end = end;
    for (const [part, kind] of parts) {
      if (kind === 'space') {
        isGlued = false;
        startsLine ||= part === '\n';
        continue;
      }
      if (last && isGlued && last.kind === kind && kind !== 'sign') {
        last.text += part;
        last.end = end;
      } else {
        last = { kind, text: part, start, end, isGlued, startsLine, cues: noCues };
        tokens.push(last);
      }
      isGlued = true;
      startsLine = false;
    }
  }
  for (const token of tokens) if (token.kind === 'word') token.cues = cuesOfWord.get(token.text) ?? noCues;
  return tokens;
}

/** The nearest tokens before a place (`step` -1) or after it (1) that are no signs. */
export function neighbours(tokens: readonly Token[], from: number, step: -1 | 1, count: number): Token[] {
  const found: Token[] = [];
  // Signs are passed over, but not without bound: the work for one place must not depend on the length of the text.
  for (let at = from + step, seen = 0; found.length < count && seen < 24; at += step, seen += 1) {
    const token = tokens[at];
    if (!token) break;
    if (token.kind !== 'sign') found.push(token);
  }
  return found;
}

/** Whether one of the words before `first` or after `last` is of this kind. */
export function hasCueNear(
  tokens: readonly Token[],
  first: number,
  last: number,
  cue: Cue,
  before = 6,
  after = 4,
): boolean {
  const isNear = (from: number, step: -1 | 1, count: number) =>
    count > 0 && neighbours(tokens, from, step, count).some(({ cues }) => cues.has(cue));
  return isNear(first, -1, before) || isNear(last, 1, after);
}
