import {
  fold,
  foldHashtag,
  nothingSaid,
  textsSaid,
  wordsOf,
  type CommentView,
  type HiddenReason,
  type VentSaid,
  type VentView,
} from '@unsaid/contract';
import type { Choices } from './choices.ts';

/** What of a vent can be muted. */
export type VentWords = Omit<VentSaid, 'need' | 'keepDays'> & Pick<VentView, '_id'>;

/**
 * What is hidden from one viewer. Rule: you can hide what you can point at. Inputs are the viewer's choices and what is
 * visible on the item. Nothing here receives an author, a speaker or a key: if hiding one vent hid another, the viewer
 * would learn that both have one author.
 */
export type Hiding = ReturnType<typeof createHiding>;

/**
 * Whether a text has one of these words as a whole. A list has thousands of texts, and this runs between them: a text
 * without the beginning of any muted word is not cut into words.
 */
export function createMutedWords(muted: readonly string[]): (text: string) => boolean {
  const words = muted.map(wordsOf).filter((word) => word.trim() !== '');
  const beginnings = [...new Set(words.map((word) => word.trim().split(' ', 1)[0] as string))];
  return (text) => {
    const folded = fold(text);
    if (!beginnings.some((beginning) => folded.includes(beginning))) return false;
    const said = wordsOf(text);
    return words.some((word) => said.includes(word));
  };
}

export function createHiding(choices: Choices) {
  const [vents, comments] = [new Set(choices.vents), new Set(choices.comments)];
  const names = choices.names.filter(({ username }) => username !== null);
  const isMuted = createMutedWords(choices.words);
  const hashtags = new Set(choices.hashtags.map(foldHashtag));
  const emotions = new Set<string>(choices.emotions);

  const hasHiddenName = ({ userId: { username } }: CommentView, account: string) =>
    names.some((name) => name.account === account && (!name.isFromMatch || name.username === username));

  return {
    /** Whether a comment with a name needs its account. */
    asksForNames: names.length > 0,
    vent({ _id, ...said }: VentWords): HiddenReason | null {
      if (vents.has(_id)) return 'you';
      if (emotions.has(said.emotion)) return 'emotion';
      if (said.hashtags.some((tag) => hashtags.has(foldHashtag(tag)))) return 'hashtag';
      return textsSaid(said).some(isMuted) ? 'word' : null;
    },
    /** `account` belongs to the name that stands on the comment; null where none does. */
    comment(view: CommentView, account: string | null): HiddenReason | null {
      if (comments.has(view._id)) return 'you';
      if (account !== null && hasHiddenName(view, account)) return 'name';
      return isMuted(view.text) ? 'word' : null;
    },
  };
}

/** In a list. Its id, its time, its counters and its position stay. */
export function withoutWords(view: VentView, hiddenBy: HiddenReason): VentView {
  const { heavy: _heavy, ...rest } = view;
  return { ...rest, ...nothingSaid, comments: [], hiddenBy };
}

export function commentWithoutWords(view: CommentView, hiddenBy: HiddenReason): CommentView {
  return { ...view, text: '', userId: { username: null, profilePic: null }, hiddenBy };
}
