import * as z from 'zod/mini';
import { emotions, matchPreferences, type Emotion } from './emotions.ts';
import { endpoint } from './endpoint.ts';
import { sealedId, success, writtenText } from './fields.ts';
import { limits } from './limits.ts';

const matchPreference = z.enum(matchPreferences);

const publicFields = {
  _id: z.string(),
  username: z.nullable(z.string()),
  bio: z.string(),
  profilePic: z.string(),
  interests: z.array(z.string()),
  likes: z.array(z.string()),
  dislikes: z.array(z.string()),
};

/** What others may see. allowComments stays out: it could be matched with vents. */
export const publicUser = z.object({
  ...publicFields,
  preferences: z.object({ matchPreference: z.nullable(matchPreference) }),
});

export const selfUser = z.object({
  ...publicFields,
  /** How one has been feeling lately, as one says. Others see of it what they named too. */
  feelings: z.array(z.enum(emotions)),
  /** They were named over 30 days ago: they count half in matching, and it is time to ask again. */
  feelingsStale: z.boolean(),
  allowComments: z.boolean(),
  preferences: z.object({
    matchPreference: z.nullable(matchPreference),
    anonymousChat: z.boolean(),
  }),
  profileCompleted: z.boolean(),
  suspended: z.optional(z.literal(true)),
});

export type PublicUser = z.output<typeof publicUser>;
export type SelfUser = z.output<typeof selfUser>;

const selfAnswer = z.object({ ...success, user: selfUser });

const usernamePattern = /^[A-Za-z0-9_]{1,20}$/u;

/** What the username box does with every key press. */
export function stripUsername(typed: string): string {
  return typed.replace(/[^A-Za-z0-9_]/gu, '').slice(0, limits.usernameChars);
}

const lookalikes: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  l: 'i',
};

/** As it looks at a glance: `adm1n` and `AdmIn`, with a small L in place of the I, are one. */
const fold = (text: string) =>
  text.toLowerCase().replaceAll(/[013457l]/gu, (sign) => lookalikes[sign] ?? sign);
const foldAll = (words: string) => fold(words).split(' ');

/** Nobody may speak as the service, or as the Author and Anonymous that stand under comments. */
const reserved = {
  /** Wherever they stand: no ordinary name or word has them inside, but for badminton. */
  anywhere: foldAll('admin moderator anonymous author unsaid official helpline'),
  /** Alone or put together, as in `support_team`: modi, steam, roots and helpful are nobody's office. */
  roles: foldAll('mod support staff team help system root owner deleted user'),
  whole: foldAll('me you null undefined'),
};

function isMadeOfRoles(text: string): boolean {
  let rest = text.startsWith('the') ? text.slice(3) : text;
  do {
    const role = reserved.roles.find((word) => rest.startsWith(word));
    if (role === undefined) return false;
    rest = rest.slice(role.length);
  } while (rest !== '');
  return true;
}

function isReserved(name: string): boolean {
  // `mod_1` is a role with a number, and not only a way to write modi.
  const spellings = [fold(name), fold(name.replaceAll(/[0-9]/gu, ''))];
  return spellings.some((text, n) => {
    const parts = text.replaceAll('badminton', '').split('_');
    const joined = parts.join('');
    return (
      reserved.anywhere.some((word) =>
        // Across an underscore only from the beginning of a part: `un_said` is our name, `arun_said` is somebody's.
        parts.some((part, at) => part.includes(word) || parts.slice(at).join('').startsWith(word)),
      ) ||
      isMadeOfRoles(joined) ||
      (n === 0 && reserved.whole.includes(joined))
    );
  });
}

export function isAcceptableUsername(name: string): boolean {
  return (
    usernamePattern.test(name) &&
    !isReserved(name) &&
    (name.match(/[0-9]+/gu) ?? []).every((digits) => digits.length < limits.usernameDigitRun)
  );
}

const profileItem = writtenText({ max: limits.profileListItem, isOneLine: true });

/** Empties are dropped and repeats folded, so that a trailing comma is no error. */
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

/** Repeats are dropped, and none is an answer too. */
const namedFeelings = z.pipe(
  z.array(z.enum(emotions)).check(z.maxLength(emotions.length * 2, { error: 'too_many' })),
  z.pipe(
    z.transform((named: Emotion[]) => emotions.filter((emotion) => named.includes(emotion))),
    z.array(z.enum(emotions)).check(z.maxLength(limits.feelings, { error: 'too_many' })),
  ),
);

/** The object of the profile dialog, or the bare string of the signup form ('' when none was chosen). */
const preferences = z.union([
  z.object({
    matchPreference: z.optional(z.nullable(z.union([matchPreference, z.literal('')]))),
    anonymousChat: z.optional(z.boolean()),
  }),
  matchPreference,
  z.literal(''),
]);

export type PreferencesInput = z.output<typeof preferences>;

export const getSelf = endpoint({
  method: 'GET',
  path: '/api/auth/user',
  summary: 'The signed-in person, as they see themselves.',
  isOpenToSuspended: true,
  response: selfAnswer,
});

export const getUser = endpoint({
  method: 'GET',
  path: '/api/auth/user/:id',
  summary: 'Oneself, or somebody in a pair with oneself that is open or in which both said yes.',
  params: z.object({ id: sealedId }),
  response: z.object({ ...success, user: z.union([selfUser, publicUser]) }),
  errors: ['NOT_FOUND'],
  rate: ['profileViews'],
});

export const changeUsername = endpoint({
  method: 'PUT',
  path: '/api/auth/change-username',
  summary: 'Take another name. The old one is held back for 30 days.',
  isSensitive: true,
  body: z.object({ newUsername: z.string().check(z.maxLength(200)) }),
  response: selfAnswer,
  errors: ['USERNAME_TAKEN', 'USERNAME_INVALID'],
});

export const updateDetails = endpoint({
  method: 'PUT',
  path: '/api/auth/update-details',
  summary: 'Change the parts of the profile that are sent, and no other.',
  body: z.object({
    bio: z.optional(writtenText({ max: limits.bio, maxBytes: limits.bioBytes })),
    interests: z.optional(profileList),
    likes: z.optional(profileList),
    dislikes: z.optional(profileList),
    feelings: z.optional(namedFeelings),
    allowComments: z.optional(z.boolean()),
    preferences: z.optional(preferences),
  }),
  invalidMessage: 'Profile update failed',
  response: z.object({ ...success, user: selfUser, token: z.optional(z.string()) }),
  rate: ['profileEdits'],
});

export const drawAvatar = endpoint({
  method: 'PUT',
  path: '/api/auth/avatar',
  summary: 'Draw another picture. The server picks it, so that nobody can wear the picture of another.',
  response: selfAnswer,
  rate: ['profileEdits'],
});
