import { addressed, folded, isFirstPersonFuture, tellsOutright } from './crisis.ts';
import { toSentences, type Sentence } from './fold.ts';
import { readersWeights } from './readers-weights.ts';
import { createScorer, toParts } from './word-model.ts';

/** Who speaks of oneself, tells what was said, or writes to themselves. "me" is "in" in Hindi. */
const oneselfOrTold = folded(
  'i|im|ive|ill|id|my|mine|myself|mirror|head|mujhe|mujhko|mujhse|main|maine|mera|meri|mere|hu|hume|humko|hamara|khudse|sheeshe|aaina|aaine|dimag|awaz|awaaz|bola|boli|bole|bolta|bolti|kaha|kehta|kehti|said|told|says|usne|unhone|likha',
);

/** Whether somebody is spoken to. Undefined: it speaks of its writer, or quotes somebody. */
function speaksToReaders(sentences: readonly Sentence[]): boolean | undefined {
  const isOwn = sentences.some(
    ({ words, isQuoted }) =>
      isQuoted.includes(true) || words.some((word) => oneselfOrTold.has(word) || isFirstPersonFuture(word)),
  );
  return isOwn ? undefined : sentences.some(({ words }) => words.some((word) => addressed.has(word)));
}

/** Of dying, or of leaving the world. Without one of them only the phrases refuse. */
const ofDying = folded(
  'die|dying|dead|death|kill|kys|hang|jump|suicide|unalive|exist|existing|breathing|alive|disappear|earth|world|rope|mar|maro|mare|marr|marte|marna|mariye|jaan|jan|khatam|khatm|khudkushi|atmahatya|aatmahatya|doob|kood|kud|latak|fansi|fanda|patri|nadi|kuan|kue|maut|jeene|jeena|jina|jiyo|zinda|jinda|duniya|dharti|bojh|mita|mit|mitao|hamesha|upar|tamam|kissa|mukti|saans|janaza|arthi',
);

/** From which score on a text that speaks to readers, or to nobody, tells them to die. */
const telling = { readers: -0.8, nobody: 0.4 } as const;

/** What the phrases say, or the word model of a text that speaks of nobody else. */
export function isRefused(sentences: readonly Sentence[], score: number): boolean {
  const isToReaders = sentences.some(({ words }) => words.some((word) => ofDying.has(word)))
    ? speaksToReaders(sentences)
    : undefined;
  if (isToReaders !== undefined && score >= (isToReaders ? telling.readers : telling.nobody)) return true;
  return tellsOutright(sentences);
}

let scorer: ReturnType<typeof createScorer> | undefined;

/**
 * A vent that tells whoever reads it to die. Refused without appeal, so it passes where anything in it speaks of its
 * writer, quotes somebody, or advises against it. The server asks it; the browser does not load its weights.
 */
export function tellsReadersToDie(text: string): boolean {
  scorer ??= createScorer(readersWeights);
  const sentences = toSentences(text);
  const scores = toParts(sentences).map(scorer);
  return isRefused(sentences, Math.max(-Infinity, ...scores.map(([score]) => score as number)));
}
