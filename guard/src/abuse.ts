import { longAgo, sexual } from './abuse-phrases.ts';
import { combine, type CrisisReading } from './crisis.ts';
import { toSentences, type Sentence } from './fold.ts';
import { createLexicon } from './phrases.ts';
import { readScores, type Scores } from './scores.ts';

/**
 * Reads from a text whether somebody is, or was, hurt by a person near to them: which helplines its writer is shown. The
 * word model finds it; phrases and ages say which kind. No network, no memory.
 */

/** Of a child: 1098 first. Null: nothing was found. */
export type AbuseKind = 'violence' | 'rape' | 'child';

let lexicon: ReturnType<typeof createLexicon<'longAgo' | 'sexual'>> | undefined;

/** From which score on. Where an age under 18 is named, less is enough. Chosen by `npm run train:crisis -- --validate`. */
const enough = { abuse: -1.7, said: -3.2, young: -1.8, child: -0.9 } as const;

/** Under 18, said as an age or a class: folding makes all numbers one word, so these read the text itself. */
const under18 = [
  /\b(?:i'?m|i am|im|main|mai|mein|me|only|age|umar|umr|aged) (?:only |sirf |abhi )?(?:[5-9]|1[0-7])\b/u,
  /\b(?:[5-9]|1[0-7]) ?(?:saal|sal|years?|yrs?|y\/?o|ka hu|ki hu|ka hoon|ki hoon|f\b|m\b)/u,
  /(?:^|\P{L})(?:[5-9]|1[0-7]) ?(?:साल|वर्ष|की हूँ|का हूँ|की हूं|का हूं)/u,
  /(?:उम्र|आयु) (?:[5-9]|1[0-7])(?:$|\D)/u,
  /\b(?:class|std|standard|grade|kaksha) ?(?:[3-9]|1[0-2])(?:th)?\b/u,
  /\b(?:[4-9]|1[0-2])th\b(?! (?:pass|me fail|ke baad))/u,
  /(?:कक्षा|क्लास) ?(?:[3-9]|1[0-2])(?:$|\D)/u,
  /(?:पाँचवीं|पांचवीं|छठी|सातवीं|आठवीं|नौवीं|नवीं|दसवीं|ग्यारहवीं|बारहवीं) (?:में|कक्षा|क्लास)/u,
  /\b(?:das|gyarah|barah|baarah|terah|chaudah|pandrah|solah|satrah) (?:saal|sal|ka hu|ki hu)/u,
  /(?:दस|ग्यारह|बारह|तेरह|चौदह|पंद्रह|पन्द्रह|सोलह|सत्रह) (?:साल|वर्ष|की हूँ|का हूँ|की हूं|का हूं)/u,
];
/** Devanagari digits as Latin ones. */
const withLatinDigits = (text: string) =>
  text.replace(/[\u0966-\u096F]/gu, (digit) => String(digit.charCodeAt(0) - 0x966));

export interface AbuseHints {
  readonly isSexual: boolean;
  readonly isLongAgo: boolean;
  readonly isYoung: boolean;
}

/** What the phrases say, and ages in the text itself. */
export function readHints(text: string, sentences: readonly Sentence[]): AbuseHints {
  lexicon ??= createLexicon(
    [
      ['sexual', sexual],
      ['longAgo', longAgo],
    ],
    {},
  );
  const seen = new Set(sentences.flatMap(({ words }) => lexicon?.find(words).map(({ meaning }) => meaning)));
  const plain = withLatinDigits(text.toLowerCase());
  return {
    isSexual: seen.has('sexual'),
    isLongAgo: seen.has('longAgo'),
    isYoung: under18.some((pattern) => pattern.test(plain)),
  };
}

export function combineAbuse(
  { isSexual, isLongAgo, isYoung }: AbuseHints,
  { abuse, child }: Scores,
): AbuseKind | null {
  const isChildNow = isYoung && !isLongAgo;
  if (abuse < (isSexual ? enough.said : isChildNow ? enough.young : enough.abuse)) return null;
  if (isChildNow || child >= enough.child) return 'child';
  return isSexual ? 'rape' : 'violence';
}

/** Both readings of one text: the word model, which costs most, runs once. */
export function readDistress(text: string): CrisisReading & { readonly abuse: AbuseKind | null } {
  const sentences = toSentences(text);
  const scores = readScores(sentences);
  return { ...combine(sentences, scores), abuse: combineAbuse(readHints(text, sentences), scores) };
}

export const readAbuse = (text: string): AbuseKind | null => readDistress(text).abuse;
