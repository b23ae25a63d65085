import {
  countGraphemes,
  foldHashtag,
  isBlank,
  limits,
  newVent,
  splitHashtags,
  typedFields,
  type createVent,
  type RequestOf,
  type VentSaid,
} from '@unsaid/contract';
import { t } from '@lingui/core/macro';
import { addChips, chipProblemText, type ChipRules } from '../../../ui/chips.ts';
import type { VentDraft } from './drafts.ts';

const { shape } = newVent;

/** Hashtags as the server stores them: without #, and compared without case and accents. */
export const hashtagRules: ChipRules = {
  items: limits.hashtags,
  length: limits.hashtag,
  clean: (part) => splitHashtags(part)[0] ?? '',
  fold: foldHashtag,
  isAcceptable: (tag) => shape.hashtags.safeParse([tag]).success,
};

type FieldName = keyof VentSaid;

export type Checked =
  | { readonly body: RequestOf<typeof createVent>['body'] }
  | { readonly missing: readonly ('text' | 'title' | 'emotion')[] }
  | { readonly problems: Partial<Record<FieldName, string>> };

/** Validation of the vent form, on the feed and on /vent/create. */
export function checkVent(draft: VentDraft): Checked {
  const { openHashtag, hasOwnTitle: _own, attempt: _key, isHeld, emotion, ...fields } = draft;
  // Every gap, in the order of the form. Without a text no title is asked for: it would come from there.
  const missing = [
    ...(isBlank(fields.text) ? (['text'] as const) : isBlank(fields.title) ? (['title'] as const) : []),
    ...(emotion === undefined ? (['emotion'] as const) : []),
  ];
  if (emotion === undefined || missing.length > 0) return { missing };

  // A restored draft may contain a hashtag that was not closed by a comma.
  const { chips, problem } = addChips(fields.hashtags, openHashtag, hashtagRules);
  const body = { ...fields, emotion, hashtags: [...chips], later: isHeld === true };
  const parsed = newVent.safeParse(body);
  if (parsed.success && !problem) return { body };
  const problems: Partial<Record<FieldName, string>> = {};
  if (problem) problems.hashtags = chipProblemText(problem, hashtagRules);
  for (const { path, message } of parsed.error?.issues ?? []) {
    const field = typedFields.find((name) => name === path[0]);
    if (field) problems[field] ??= problemText(message);
  }
  return { problems };
}

const suggestedTitleLength = 60;

/** No text has more characters than code units: most need not be counted at every key press. */
const isShort = (text: string) =>
  text.length <= suggestedTitleLength || countGraphemes(text) <= suggestedTitleLength;

/** A title from the first words of the text: its first sentence, or as many whole words as fit. */
export function suggestTitle(text: string): string {
  const line =
    text
      .split('\n')
      .map((one) => one.replaceAll(/\s+/gu, ' ').trim())
      .find((one) => !isBlank(one)) ?? '';
  const sentence = /^.+?[.!?।](?=\s|$)/u.exec(line)?.[0] ?? line;
  if (isShort(sentence)) return withoutFullStops(sentence);
  let title = '';
  for (const word of sentence.split(' ')) {
    const longer = title === '' ? word : `${title} ${word}`;
    if (!isShort(longer)) break;
    title = longer;
  }
  // Not one word fits: a link, or letters without spaces. Its writer finds a title.
  return title === '' ? '' : `${title}…`;
}

function withoutFullStops(sentence: string): string {
  return /[.।]$/u.test(sentence) ? withoutFullStops(sentence.slice(0, -1)) : sentence;
}

function problemText(rule: string): string {
  if (rule === 'too_long') return t`That's too long. Please shorten it.`;
  if (rule === 'too_many_lines') return t`That's too many lines. Please use fewer.`;
  return t`Some characters here can't be saved.`;
}
