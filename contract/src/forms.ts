import * as z from 'zod/mini';
import { emotions, matchPreferences, type Emotion } from './emotions.ts';
import { isSure, writtenText } from './fields.ts';
import { limits } from './limits.ts';
import { fold, hasWords } from './words.ts';

/** What people type, and forms check before it is sent. The web loads these schemas with the form, and no others. */

/** Letters, marks, digits, spaces, underscore and hyphen of any script. */
const hashtagPattern = /^(?:[\p{L}\p{M}\p{N}_ -]|\u200C|\u200D)+$/u;

const hashtag = z.pipe(
  z.string().check(z.maxLength(400)),
  z.pipe(
    z.transform((tag: string) => tag.trim().replace(/^#+/u, '')),
    writtenText({ max: limits.hashtag, isOneLine: true }),
  ),
);

/** Drops empty hashtags and duplicates; the rest is shown as typed. */
function hashtagList(max: number) {
  return z.pipe(
    z.array(hashtag).check(z.maxLength(max * 3, { error: 'too_many' })),
    z.pipe(
      z.transform((tags: string[]) => {
        const seen = new Map<string, string>();
        for (const tag of tags) if (tag && !seen.has(fold(tag))) seen.set(fold(tag), tag);
        return [...seen.values()];
      }),
      z
        .array(z.string().check(z.regex(hashtagPattern, { error: 'unacceptable_characters' })))
        .check(z.maxLength(max, { error: 'too_many' })),
    ),
  );
}

/** What would help the author of a vent. Chosen for each vent: a habit would show which vents have one author. */
export const needs = ['listen', 'advice', 'been_there', 'hug'] as const;
export type Need = (typeof needs)[number];

/** How long a vent stays, where not until its author deletes it. */
export const keepDays = [1, 7] as const;
export type KeepDays = (typeof keepDays)[number];

export const newVent = z.object({
  title: writtenText({ max: limits.ventTitle, maxBytes: 1200, isOneLine: true, isRequired: true }),
  text: writtenText({ max: limits.ventText, maxBytes: 16 * 1024, maxNewlines: 50, isRequired: true }),
  emotion: z.enum(emotions),
  hashtags: z.optional(hashtagList(limits.hashtags)),
  /** A vent that wants a hug takes no comments. */
  need: z.optional(z.enum(needs)),
  keepDays: z.optional(z.literal(keepDays)),
  /** Whether this vent takes comments; the profile's setting by default. */
  allowComments: z.optional(z.boolean()),
  isSure,
});

export const commentText = writtenText({ max: limits.comment, maxBytes: 4 * 1024, isRequired: true });

const profileItem = writtenText({ max: limits.profileListItem, isOneLine: true });

/** Drops empty items and duplicates, so that a trailing comma is no error. */
const profileList = z.pipe(
  z.array(profileItem).check(z.maxLength(limits.profileListItems * 2, { error: 'too_many' })),
  z.pipe(
    z.transform((items: string[]) => {
      const seen = new Map<string, string>();
      for (const item of items) if (item && !seen.has(item.toLowerCase())) seen.set(item.toLowerCase(), item);
      return [...seen.values()];
    }),
    z.array(z.string()).check(z.maxLength(limits.profileListItems, { error: 'too_many' })),
  ),
);

/** Drops duplicates. An empty list is valid. */
const namedFeelings = z.pipe(
  z.array(z.enum(emotions)).check(z.maxLength(emotions.length * 2, { error: 'too_many' })),
  z.pipe(
    z.transform((named: Emotion[]) => emotions.filter((emotion) => named.includes(emotion))),
    z.array(z.enum(emotions)).check(z.maxLength(limits.feelings, { error: 'too_many' })),
  ),
);

const matchPreference = z.enum(matchPreferences);

/** The object of the profile dialog, or the bare string of the sign-up form ('' without a choice). */
const preferences = z.union([
  z.object({
    matchPreference: z.optional(z.nullable(z.union([matchPreference, z.literal('')]))),
    anonymousChat: z.optional(z.boolean()),
  }),
  matchPreference,
  z.literal(''),
]);

export type PreferencesInput = z.output<typeof preferences>;

export const profileDetails = z.object({
  bio: z.optional(writtenText({ max: limits.bio, maxBytes: limits.bioBytes })),
  interests: z.optional(profileList),
  likes: z.optional(profileList),
  dislikes: z.optional(profileList),
  feelings: z.optional(namedFeelings),
  allowComments: z.optional(z.boolean()),
  preferences: z.optional(preferences),
  isSure,
});

const mutedWord = writtenText({
  max: limits.mutedWord,
  maxBytes: limits.mutedWordBytes,
  isOneLine: true,
  isRequired: true,
}).check(z.refine((word) => hasWords(word), { error: 'required' }));

export const newMutes = z.object({
  /** Whole words or short phrases, without regard to case and accents. */
  words: z.array(mutedWord).check(z.maxLength(limits.mutedWords, { error: 'too_many' })),
  hashtags: hashtagList(limits.mutedHashtags),
  emotions: z.array(z.enum(emotions)).check(z.maxLength(emotions.length, { error: 'too_many' })),
});
export type Mutes = z.output<typeof newMutes>;
