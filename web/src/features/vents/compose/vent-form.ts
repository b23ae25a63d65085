import {
  createVent,
  foldHashtag,
  isBlank,
  limits,
  splitHashtags,
  type Emotion,
  type RequestOf,
} from '@unsaid/contract';
import { t } from '@lingui/core/macro';
import { addChips, chipProblemText, type ChipRules } from '../../../ui/chips.ts';
import type { VentDraft } from './drafts.ts';

const { shape } = createVent.body;

/** Hashtags as the server stores them: without #, and compared without case and accents. */
export const hashtagRules: ChipRules = {
  items: limits.hashtags,
  length: limits.hashtag,
  clean: (part) => splitHashtags(part)[0] ?? '',
  fold: foldHashtag,
  isAcceptable: (tag) => shape.hashtags.safeParse([tag]).success,
};

type FieldName = 'title' | 'text' | 'emotion' | 'hashtags';

export type Checked =
  | { readonly body: RequestOf<typeof createVent>['body'] }
  | { readonly missing: readonly FieldName[] }
  | { readonly problems: Partial<Record<FieldName, string>> };

/** Validation of the vent form, on the feed and on /vent/create. */
export function checkVent({
  title,
  text,
  emotion,
  hashtags,
  openHashtag,
  allowComments,
}: VentDraft): Checked {
  const missing: FieldName[] = [];
  if (isBlank(title)) missing.push('title');
  if (isBlank(text)) missing.push('text');
  if (emotion === null) missing.push('emotion');
  if (missing.length > 0) return { missing };

  // A restored draft may contain a hashtag that was not closed by a comma.
  const { chips, problem } = addChips(hashtags, openHashtag, hashtagRules);
  const body = {
    title,
    text,
    emotion: emotion as Emotion,
    hashtags: [...chips],
    ...(allowComments !== undefined && { allowComments }),
  };
  const parsed = createVent.body.safeParse(body);
  if (parsed.success && !problem) return { body };
  const problems: Partial<Record<FieldName, string>> = {};
  if (problem) problems.hashtags = chipProblemText(problem, hashtagRules);
  for (const { path, message } of parsed.error?.issues ?? []) {
    const field = (['title', 'text', 'hashtags'] as const).find((name) => name === path[0]);
    if (field) problems[field] ??= problemText(message);
  }
  return { problems };
}

function problemText(rule: string): string {
  if (rule === 'too_long') return t`That is longer than what fits here.`;
  if (rule === 'too_many_lines') return t`That is more lines than fit here.`;
  return t`There are characters in it that cannot be kept.`;
}
