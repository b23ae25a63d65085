import {
  aboutOthers,
  context,
  excusesAfter,
  excusesBefore,
  excusesClose,
  harmless,
  levels,
  lists,
  signs,
  tellsReader,
} from './crisis-phrases.ts';
import { crisisWeights } from './crisis-weights.ts';
import { foldWord, toSentences, work, type Sentence } from './fold.ts';
import { createLexicon, type Match } from './phrases.ts';
import { createScorer, toParts } from './word-model.ts';

/**
 * Reads from a text how near to harming themselves its writer may be, in English, Hindi and Hinglish (Hindi in Latin
 * letters). Two readers: a lexicon with context rules knows what is said outright, by sentence, so that a joke or a
 * friend in one sentence does not hide what another one says; a word model knows what such texts are mostly about, and
 * finds what no phrase foresees. No network, no memory.
 */

export type CrisisLevel = 0 | 1 | 2 | 3;

export interface CrisisReading {
  readonly level: CrisisLevel;
  readonly isAboutSomeoneElse: boolean;
}

type Sign = keyof typeof signs | keyof typeof context;
type Meaning = 1 | 2 | 3 | Sign;

const folded = (words: string) => new Set(words.split('|').map(foldWord));

/** Made at the first scan: most visits never need it. */
function atFirstUse<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}

const harmlessPhrases = atFirstUse(() => createLexicon([[true, harmless]], lists));
const phrases = atFirstUse(() =>
  createLexicon<Meaning>(
    [
      [1, levels[1]],
      [2, levels[2]],
      [3, levels[3]],
      ...(Object.entries({ ...signs, ...context }) as [Sign, string][]),
    ],
    lists,
  ),
);
const otherPhrases = atFirstUse(() => createLexicon([[true, aboutOthers]], lists));
const tellingPhrases = atFirstUse(() => createLexicon([[true, tellsReader]], lists));
const scorer = atFirstUse(() => createScorer(crisisWeights));

/**
 * From which score on a part of the text is at level 1, 2, 3, or about somebody else; in the steps of the weights. Chosen
 * by `npm run train:crisis -- --validate`.
 */
const enough = [5, 3, -1, -3] as const;
/** Below this first score level 1 of the lexicon does not stand: the words around it speak of something else. */
const doubtful = -1;

const me = folded(lists.me as string);
const they = folded(`${lists.they}|${lists.kin}`);
const selfWords = folded('i|im|ive|my|myself|mujhe|main|maine|mera|meri|mere|hu|mujhse|wanna');
const firstPersonVerbs = folded('hu|main|mujhe|maine');
const otherVerbs = folded('hai|h|he|hain|tha|thi|the');
const futureWords = folded('will|ill|going|gonna|decided|plan|planning|im|ja|raha|rahi');
const presentWords = folded('want|wanna|im|am|going|gonna|feel|thinking|hu|hai|h');
const suicideNouns = folded(lists.suicide as string);

interface Finding {
  readonly level: 1 | 2 | 3;
  readonly isOther: boolean;
  readonly isPast: boolean;
}

/**
 * Whose wish it is: stated in the phrase, or by the verb after it (Hindi: hoon is I), else the nearest person named
 * before it in the sentence.
 */
function whoseIs(words: readonly string[], { start, end }: Match<Meaning>): 'own' | 'other' | 'unknown' {
  if (words.slice(start, end).some((word) => selfWords.has(word))) return 'own';
  for (const word of words.slice(end, end + 6)) {
    if (firstPersonVerbs.has(word)) return 'own';
    if (they.has(word) || otherVerbs.has(word)) break;
  }
  for (let at = start - 1; at >= Math.max(0, start - 25); at -= 1) {
    work.steps += 1;
    if (me.has(words[at] as string)) return 'own';
    if (they.has(words[at] as string)) return 'other';
  }
  return 'unknown';
}

const isFuture = (word: string) => futureWords.has(word) || word.endsWith('ug');

function withoutHarmless(words: readonly string[]): string[] {
  const left = [...words];
  for (const { start, end } of harmlessPhrases().find(words)) {
    work.steps += end - start;
    left.fill('', start, end);
  }
  return left;
}

function judge(words: readonly string[]): { findings: Finding[]; seen: Set<Sign> } {
  const left = withoutHarmless(words);
  const matches = phrases().find(left);
  const seen = new Set<Sign>();
  for (const { meaning } of matches) if (typeof meaning === 'string') seen.add(meaning);
  const findings: Finding[] = [];
  const isOfOther = words.map(() => false);
  for (const { start, end } of otherPhrases().find(words)) isOfOther.fill(true, start, end);
  if (isOfOther.includes(true)) findings.push({ level: 1, isOther: true, isPast: false });
  for (const match of matches) {
    const { meaning, start, end } = match;
    work.steps += end - start;
    if (typeof meaning !== 'number') continue;
    const phrase = left.slice(start, end);
    const hasNoun = phrase.some((word) => suicideNouns.has(word));
    const whose = whoseIs(left, match);
    if (whose !== 'own' && (seen.has('story') || (hasNoun && seen.has('grief')))) continue;
    const isOther = whose === 'other' || isOfOther.slice(start, end).includes(true);
    let level: CrisisLevel = meaning;
    if (seen.has('joke') && level < 3) level = phrase.includes('myself') || hasNoun ? 1 : 0;
    else if (level === 2) {
      const around = left.slice(Math.max(0, start - 4), end + 4);
      if (seen.has('now') || (seen.has('soon') && around.some(isFuture))) level = 3;
    }
    if (level === 0) continue;
    const isPresent = left.slice(start, end + 2).some((word) => presentWords.has(word));
    const isPast = seen.has('usedTo') || seen.has('clean') || (seen.has('past') && !isPresent);
    findings.push({ level, isOther, isPast });
  }
  return { findings, seen };
}

/** What the lexicon alone says. */
export function readPhrases(sentences: readonly Sentence[]): CrisisReading {
  const judged = sentences.map(({ words }) => judge(words));
  const seen = new Set(judged.flatMap((sentence) => [...sentence.seen]));
  const isWell = seen.has('well') || seen.has('clean');
  let own: CrisisLevel = 0;
  let isOther = false;
  for (const sentence of judged) {
    for (const finding of sentence.findings) {
      if (finding.isOther) {
        isOther = true;
        continue;
      }
      let level: CrisisLevel = finding.level;
      if (finding.isPast && !sentence.seen.has('again')) level = isWell ? 0 : 1;
      else if (finding.isPast && isWell) level = 1;
      if (level > own) own = level;
    }
  }
  const preparations = (Object.keys(signs) as (keyof typeof signs)[]).filter((sign) => seen.has(sign)).length;
  const hasMeans = seen.has('means') || seen.has('pills');
  if (own === 2 && preparations > 0) own = 3;
  if (own === 1 && (hasMeans || seen.has('farewell'))) own = 3;
  if (own === 0 && !isOther && (preparations > 1 || (seen.has('means') && seen.has('now')))) own = 3;
  if (own > 1 || !isOther) return { level: own, isAboutSomeoneElse: false };
  return { level: 1, isAboutSomeoneElse: true };
}

/**
 * The highest of each score over the parts of a text decides, so that a long text does not hide its worst part. What is
 * said outright of oneself stands, whatever the words around it.
 */
export function combine(phrasesSay: CrisisReading, scores: readonly (readonly number[])[]): CrisisReading {
  const highest = (at: number) => Math.max(-Infinity, ...scores.map((score) => score[at] as number));
  const [one, two, three, other] = enough.map((wanted, at) => highest(at) >= wanted);
  if (phrasesSay.isAboutSomeoneElse || (phrasesSay.level < 2 && other))
    return { level: 1, isAboutSomeoneElse: true };
  const said = phrasesSay.level === 1 && highest(0) < doubtful ? 0 : phrasesSay.level;
  let meant: CrisisLevel = one ? 1 : 0;
  if (two) meant = 2;
  if (three) meant = 3;
  return { level: meant > said ? meant : said, isAboutSomeoneElse: false };
}

/** Pure, linear, no storage, no log. 1 passive, 2 active ideation or self-harm, 3 imminent. */
export function readCrisis(text: string): CrisisReading {
  const sentences = toSentences(text);
  return combine(readPhrases(sentences), toParts(sentences).map(scorer()));
}

const excusing = {
  before: folded(excusesBefore),
  close: folded(excusesClose),
  after: folded(excusesAfter),
};

/**
 * A comment that tells its reader to die or to hurt themselves. It is refused without appeal, so a sentence passes where
 * the words around it are a sign of advice, a question or somebody else's words.
 */
export function tellsToDie(text: string): boolean {
  return toSentences(text).some(({ words, isQuoted }) => {
    const firstExcuse = words.findIndex((word) => excusing.before.has(word));
    return tellingPhrases()
      .find(withoutHarmless(words))
      .some(({ start, end }) => {
        work.steps += end - start;
        return (
          !isQuoted[start] &&
          (firstExcuse === -1 || firstExcuse >= start) &&
          !words.slice(Math.max(0, start - 3), start).some((word) => excusing.close.has(word)) &&
          !words.slice(end, end + 3).some((word) => excusing.after.has(word))
        );
      });
  });
}
