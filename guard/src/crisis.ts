import {
  context,
  excusesAfter,
  excusesBefore,
  excusesClose,
  harmless,
  hints,
  levels,
  lists,
  notToReaders,
  signs,
  tellsReader,
  tellsReaders,
} from './crisis-phrases.ts';
import { foldWord, toSentences, work, type Sentence } from './fold.ts';
import { createLexicon, type Match } from './phrases.ts';
import { readScores, type Scores } from './scores.ts';

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
type Meaning = 1 | 2 | 3 | 'hint' | Sign;

export const folded = (words: string) => new Set(words.split('|').map(foldWord));

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
      ['hint', hints],
      [3, levels[3]],
      ...(Object.entries({ ...signs, ...context }) as [Sign, string][]),
    ],
    lists,
  ),
);
const tellingPhrases = atFirstUse(() => createLexicon([[true, tellsReader]], lists));
const readersPhrases = atFirstUse(() => createLexicon([[true, `${tellsReader}\n${tellsReaders}`]], lists));

/** From which score on a text is at level 1, 2, 3, or about somebody else. Chosen by `npm run train:crisis -- --validate`. */
const enough = { distress: 0.45, wish: -0.1, plan: -0.75, others: -1.7 } as const;
/** From which score of distress on the hints of the lexicon count. */
const doubtful = 0.4;

const me = folded(lists.me as string);
const they = folded(lists.they as string);
const kin = folded(lists.kin as string);
/** Before a relative: somebody's, so spoken of. "Your son" is who writes. */
const owners = folded(
  'my|mera|meri|mere|hamar|hamara|hamari|hamare|mor|mora|a|an|ek|his|her|their|our|uska|uski|uske|unka|unki|unke|iska|kisi|this|that|the',
);
const yours = folded('tera|teri|tere|tumhara|tumhari|tumhare|aapka|aapki|aapke|your|ur');
/** After a relative: it has a part in the sentence. */
const caseMarks = folded(
  'ne|ko|ka|ki|ke|se|is|was|has|had|wants|wanted|keeps|kept|tried|tries|attempted|took|talks|talked|might|will|posted|switched|stopped|died|swallowed|overdosed|threatens|threatened',
);
const speaking = folded(
  'bol|bola|boli|bole|bolta|bolti|bolte|bolat|bolela|keh|kehta|kehti|kehte|kaha|kahi|kahta|kahti|kahte|kah|kahat|kahela|kahele|likha|likhti|says|said|saying|say|told|tells|texted|texts|wrote|writes|posted|threatens',
);
/** What comes after it is another thought than what was reported. */
const turns = folded('par|but|lekin|magar|isliye|so|because|kyunki|aur|and|tabse|phir');
const english = folded('i|im|ive|ill|id|my|me');
const selfWords = folded('i|im|ive|my|myself|mujhe|main|maine|mera|meri|mere|hu|mujhse|wanna|hamka|hamke');
const firstPersonVerbs = folded('hu|main|mujhe|maine|mainne');
const otherVerbs = folded('hai|h|he|hain|tha|thi|the');
const futureWords = folded('will|ill|going|gonna|decided|plan|planning|im|ja|raha|rahi');
const pastVerbs = folded('tha|thi|survived|happened');
const presentWords = folded('want|wanna|im|am|going|gonna|feel|thinking|hu|hai|h');
const suicideNouns = folded(lists.suicide as string);

interface Finding {
  readonly level: 1 | 2 | 3;
  readonly isHint: boolean;
  readonly isOther: boolean;
  readonly isPast: boolean;
}

/** Of the first person in Hindi: -unga, -ungi. */
export const isFirstPersonFuture = (word: string) => word.endsWith('ug') && !notFuture.has(word);
const notFuture = new Set(['hug', 'drug', 'bug', 'mug', 'jug', 'rug', 'tug']);

/** Folded alike: "kaha", said, and "kha", eat. "usne kaha": said, after who says it. */
const isSpeech = (words: readonly string[], at: number): boolean =>
  speaking.has(words[at] as string) &&
  (words[at] !== eat || words[at - 1] === by || (words[at - 1] ?? '').endsWith('sn'));

/**
 * Whether the sentence speaks of the relative at this place. One who is only addressed is not the subject: Hindi drops
 * the "I", and "bhai, mann nahi lagta" is said of oneself.
 */
function isSubject(words: readonly string[], at: number): boolean {
  const word = words[at] as string;
  if (they.has(word)) return true;
  if (!kin.has(word)) return false;
  const [next = '', afterNext = ''] = words.slice(at + 1, at + 3);
  // "papa ke liye": for him.
  if (next === keFolded && afterNext === liyeFolded) return false;
  const before = words.slice(Math.max(0, at - 3), at);
  if (before.some((one) => yours.has(one))) return false;
  if (before.some((one) => owners.has(one)) || caseMarks.has(next)) return true;
  for (let after = at + 1; after < Math.min(words.length, at + 7); after += 1) {
    work.steps += 1;
    if (me.has(words[after] as string)) return false;
    if (words[after] === talk && words[after + 1] === doing)
      return !words.slice(after + 2, after + 4).some((one) => firstPersonVerbs.has(one));
    if (isSpeech(words, after))
      return !words.slice(after + 1, after + 3).some((one) => firstPersonVerbs.has(one));
  }
  return false;
}
const [keFolded, liyeFolded, talk, doing, eat, by] = ['ke', 'liye', 'baat', 'kar', 'kha', 'ne'].map(foldWord);

/** A relative is named, and the sentence speaks in the first person, or of nobody. */
const isAddressing = (words: readonly string[]): boolean =>
  words.some((word) => kin.has(word)) &&
  (words.some((word) => me.has(word) || isFirstPersonFuture(word)) ||
    !words.some((word) => otherVerbs.has(word)));

/** Whether somebody else says what begins at this place. */
function isReported(words: readonly string[], start: number): boolean {
  for (let at = start - 1; at >= Math.max(0, start - 8); at -= 1) {
    work.steps += 1;
    const word = words[at] as string;
    if (turns.has(word) || english.has(word)) return false;
    if (!isSpeech(words, at)) continue;
    if (words.slice(at + 1, at + 3).some((one) => one === 'hu')) return false;
    for (let before = at - 1; before >= Math.max(0, at - 10); before -= 1) {
      work.steps += 1;
      if (speakers.has(words[before] as string) || mind.has(words[before] as string)) return false;
      if (isSubject(words, before)) return true;
    }
    return !noting.has(word) && words.slice(at + 1, at + 3).some((one) => otherVerbs.has(one));
  }
  return false;
}
/** Who speaks in the first person. "mujhe" is who hears it. */
const speakers = folded('i|main|mein|maine|mainne|mene|ive|hum');
/** "Mann bolta hai" is the writer's own thought. */
const mind = folded('mann|man|dil|dimag|jee|head|mind|brain|voice|voices|awaaz|awaz|thoughts');
/** "A note is written": by whom is not said. */
const noting = folded('likha|likhi|posted|wrote|writes');

/**
 * Whose wish it is: who says it, then what is stated in the phrase or by the verb after it (Hindi: hoon is I), else the
 * nearest person before it in the sentence. Unknown counts as the writer's own: that error is the milder one.
 */
function whoseIs(words: readonly string[], { start, end }: Match<Meaning>): 'own' | 'other' | 'unknown' {
  if (isReported(words, start)) return 'other';
  if (words.slice(start, end).some((word) => selfWords.has(word) || isFirstPersonFuture(word))) return 'own';
  for (const word of words.slice(end, end + 6)) {
    if (firstPersonVerbs.has(word) || isFirstPersonFuture(word)) return 'own';
    if (they.has(word) || kin.has(word) || otherVerbs.has(word)) break;
  }
  for (let at = start - 1; at >= Math.max(0, start - 25); at -= 1) {
    work.steps += 1;
    // "mere bhai": the owner of a relative is not the subject.
    if (isSubject(words, at)) return 'other';
    if (me.has(words[at] as string)) return 'own';
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
  for (const { meaning } of matches) if (typeof meaning === 'string' && meaning !== 'hint') seen.add(meaning);
  const findings: Finding[] = [];
  for (const match of matches) {
    const { meaning, start, end } = match;
    work.steps += end - start;
    const isHint = meaning === 'hint';
    if (typeof meaning !== 'number' && !isHint) continue;
    const phrase = left.slice(start, end);
    const hasNoun = phrase.some((word) => suicideNouns.has(word));
    const whose = whoseIs(left, match);
    if (whose !== 'own' && (seen.has('story') || (hasNoun && seen.has('grief')))) continue;
    const isOther = whose === 'other';
    let level: CrisisLevel = isHint ? 2 : meaning;
    if (seen.has('joke') && level < 3) level = phrase.includes('myself') || hasNoun ? 1 : 0;
    else if (level === 2) {
      const around = left.slice(Math.max(0, start - 4), end + 4);
      if (seen.has('now') || (seen.has('soon') && around.some(isFuture))) level = 3;
    }
    if (level === 0) continue;
    const isPresent = left.slice(start, end + 2).some((word) => presentWords.has(word));
    const isPast = seen.has('usedTo') || seen.has('clean') || (seen.has('past') && !isPresent);
    findings.push({ level, isHint, isOther, isPast });
  }
  return { findings, seen };
}

export interface PhraseReading extends CrisisReading {
  /** Relatives are spoken to, and nobody is spoken of. */
  readonly isAddressed: boolean;
  /** Something in it is past, or better now. */
  readonly isOver: boolean;
}

/** What the lexicon alone says; with hints of one's own or without. */
export function readPhrases(sentences: readonly Sentence[], withHints = true): PhraseReading {
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
      if (finding.isHint && !withHints) continue;
      let level: CrisisLevel = finding.level;
      if (finding.isPast && !sentence.seen.has('again')) level = isWell ? 0 : 1;
      else if (finding.isPast && isWell) level = 1;
      if (level > own) own = level;
    }
  }
  const preparations = (Object.keys(signs) as (keyof typeof signs)[]).filter((sign) => seen.has(sign)).length;
  const hasMeans = seen.has('means') || seen.has('pills');
  if (own === 2 && preparations > 0) own = 3;
  // Cutting as a habit is no plan.
  if (own === 3 && seen.has('habit') && !seen.has('now') && !seen.has('pills') && !seen.has('farewell'))
    own = 2;
  if (own === 1 && (hasMeans || seen.has('farewell'))) own = 3;
  if (own === 0 && !isOther && (preparations > 1 || (seen.has('means') && seen.has('now')))) own = 3;
  const isAddressed =
    sentences.some(({ words }) => isAddressing(words)) &&
    !sentences.some(({ words }) => words.some((_, at) => isSubject(words, at)));
  const isOver = isWell || (['past', 'usedTo'] as const).some((sign) => seen.has(sign));
  if (own > 1 || !isOther) return { level: own, isAboutSomeoneElse: false, isAddressed, isOver };
  return { level: 1, isAboutSomeoneElse: true, isAddressed, isOver };
}

/** Who worries about somebody names them. "What shall I do" alone is one's own. */
const namesSomebody = (sentences: readonly Sentence[]): boolean =>
  sentences.some(({ words }) => words.some((word) => they.has(word) || kin.has(word) || persons.has(word)));
const persons = folded(
  'his|her|them|their|people|patient|student|tenant|ladka|ladki|aadmi|banda|unki|unke|uski|uske|use|unhe|bacha|bachi|sasur|padosi|sathi',
);

const bareWords = 3;

/** The lexicon and the scores of the word model together. What is said outright of oneself stands. */
export function combine(sentences: readonly Sentence[], scores: Scores): CrisisReading {
  // A search: nothing around the words says what else they could mean.
  const isBare = sentences.reduce((count, { words }) => count + words.length, 0) <= bareWords;
  const said = readPhrases(sentences, isBare || scores.distress >= doubtful);
  const others = scores.others - 0.5 * Math.max(0, scores.distress);
  const isOthers = said.level < 2 && others >= enough.others && !said.isAddressed && namesSomebody(sentences);
  if (said.isAboutSomeoneElse || isOthers) return { level: 1, isAboutSomeoneElse: true };
  let meant: CrisisLevel = scores.distress >= enough.distress ? 1 : 0;
  if (meant > 0 && (scores.wish >= enough.wish || scores.plan >= enough.plan * 2)) meant = 2;
  if (meant > 0 && scores.plan >= enough.plan) meant = 3;
  return { level: meant > said.level ? meant : said.level, isAboutSomeoneElse: false };
}

/** Pure, linear, no storage, no log. 1 passive, 2 active ideation or self-harm, 3 imminent. */
export function readCrisis(text: string): CrisisReading {
  const sentences = toSentences(text);
  return combine(sentences, readScores(sentences));
}

/**
 * Whether lists fold a vent: its phrases alone, without the word model, say that its writer is about to act. Surviving
 * and the past are not folded. The browser of its author and every server come to the same answer.
 */
export function isHeavy(text: string): boolean {
  const sentences = toSentences(text);
  const { level, isAboutSomeoneElse, isOver } = readPhrases(sentences);
  const isTold = sentences.some(({ words }) => words.some((word) => pastVerbs.has(word)));
  return level === 3 && !isAboutSomeoneElse && !isOver && !isTold;
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

const own = folded(notToReaders);
/** "khud se", "apne aap se": said to oneself. */
const oneself = [foldWord('khud'), foldWord('apne'), foldWord('aap'), foldWord('se')] as const;

function isSaidToOneself(words: readonly string[]): boolean {
  const [khud, apne, aap, se] = oneself;
  return words.some(
    (word, at) =>
      own.has(word) ||
      isFirstPersonFuture(word) ||
      (word === eat && words.slice(0, at).some((before) => before === by || before.endsWith('sn'))) ||
      ((word === khud || (word === aap && words[at - 1] === apne)) && words[at + 1] === se),
  );
}

/** The phrases alone say that a vent tells its readers to die. */
export function tellsOutright(sentences: readonly Sentence[]): boolean {
  if (sentences.some(({ words }) => isSaidToOneself(words))) return false;
  const isAddressed = sentences.some(({ words }) => words.some((word) => addressed.has(word)));
  // A wish to die that names nobody: Hindi drops the "I".
  if (!isAddressed && readPhrases(sentences).level > 1) return false;
  return sentences.some(({ words, isQuoted }) =>
    readersPhrases()
      .find(withoutHarmless(words))
      .some(({ start, end }) => {
        work.steps += end - start;
        return (
          !isQuoted[start] &&
          !words.slice(Math.max(0, start - 2), end).some((word) => advising.has(word)) &&
          !words.slice(end, end + 3).some((word) => goingOn.has(word))
        );
      }),
  );
}

const goingOn = folded(
  'for|over|isnt|wont|at|because|du|dunga|bola|bolta|bolti|bolte|likha|said|told|raha|rahi|rahe|laughing|comment|into|on|a|li|liya|lu|tha|thi|gaya|gayi|kya|jau',
);
export const addressed = folded(
  'you|u|your|ur|yourself|urself|yourselves|urselves|yall|everyone|everybody|all|whoever|reader|readers|reading|jao|maro|karo|tum|tu|tera|tere|teri|tujhe|tumhe|tumhare|tumhara|aap|aapko|sab|sabko|log|logon|walo|wale|padhne|padh|kids|people|losers',
);
const advising = folded('dont|never|not|stop|mat|if|agar|before');
