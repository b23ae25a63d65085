import type { Emotion } from '@unsaid/contract';

/** The account behind a name, as choices store it. */
export const accountKey = (speakerId: Buffer): string => speakerId.toString('base64url');

/** A hidden name. */
export interface HiddenName {
  /** Random, for the list that its owner sees. */
  readonly id: string;
  /** The account behind the name: a name can go to another person. */
  readonly account: string;
  /** As it was shown then. Null for a match without a name, of which no comment can be hidden. */
  readonly username: string | null;
  /**
   * Chosen in a match. An ended match does not tell what its person calls themselves later, so this hides comments under
   * this very name only. A name chosen under a comment may change: so does the comment.
   */
  readonly isFromMatch: boolean;
}

/** What a person does not want to see. */
export interface Choices {
  /** Ids as clients see them, newest first. */
  readonly vents: readonly string[];
  readonly comments: readonly string[];
  readonly names: readonly HiddenName[];
  readonly words: readonly string[];
  readonly hashtags: readonly string[];
  readonly emotions: readonly Emotion[];
}

export const noChoices: Choices = {
  vents: [],
  comments: [],
  names: [],
  words: [],
  hashtags: [],
  emotions: [],
};

export const isEmpty = (choices: Choices) => Object.values(choices).every((list) => list.length === 0);

/** An account stands in the list once for each name that it was hidden under: one entry more must not tell of a rename. */
export const isSameName = (one: Omit<HiddenName, 'id'>, other: Omit<HiddenName, 'id'>) =>
  one.account === other.account && one.username === other.username && one.isFromMatch === other.isFromMatch;
