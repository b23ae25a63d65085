import * as z from 'zod/mini';
import { emotions, matchPreferences } from './emotions.ts';
import { endpoint } from './endpoint.ts';
import { sealedId, success } from './fields.ts';
import { profileDetails } from './forms.ts';
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

/** The profile that others see. Without allowComments, which could be matched with vents. */
export const publicUser = z.object({
  ...publicFields,
  preferences: z.object({ matchPreference: z.nullable(matchPreference) }),
});

export const selfUser = z.object({
  ...publicFields,
  /** Self-reported recent feelings. Others see only those that they named too. */
  feelings: z.array(z.enum(emotions)),
  /** Named over 30 days ago: they count half in matching, and clients should ask again. */
  feelingsStale: z.boolean(),
  allowComments: z.boolean(),
  preferences: z.object({
    matchPreference: z.nullable(matchPreference),
    anonymousChat: z.boolean(),
  }),
  profileCompleted: z.boolean(),
  suspended: z.optional(z.literal(true)),
  /** May read, but not speak, for now. */
  limited: z.optional(z.literal(true)),
  /** Somebody asked for this account with a recovery code, and gets it in this hour unless it is stopped. */
  recoveryOpensAt: z.optional(z.string()),
  /** The number was changed lately, and cannot stop that. */
  recoveryIsFinal: z.optional(z.literal(true)),
});

export type PublicUser = z.output<typeof publicUser>;
export type SelfUser = z.output<typeof selfUser>;

const selfResponse = z.object({ ...success, user: selfUser });

const usernamePattern = /^[A-Za-z0-9_]{1,20}$/u;

/** Input filter of the username field. */
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

/** Folds lookalike characters: `adm1n` and `AdmIn`, with a small L in place of the I, become equal. */
const fold = (text: string) =>
  text.toLowerCase().replaceAll(/[013457l]/gu, (sign) => lookalikes[sign] ?? sign);
const foldAll = (words: string) => fold(words).split(' ');

/** Names that would impersonate the service, or the labels Author and Anonymous of comments. */
const reserved = {
  /** Reserved as a substring. Of ordinary words only badminton contains one. */
  anywhere: foldAll('admin moderator anonymous author unsaid official helpline'),
  /** Reserved alone or combined, as in `support_team`. Not as a substring: modi, steam, roots and helpful are fine. */
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
  // Also without digits: `mod_1` is a role with a number, not only a spelling of modi.
  const spellings = [fold(name), fold(name.replaceAll(/[0-9]/gu, ''))];
  return spellings.some((text, n) => {
    const parts = text.replaceAll('badminton', '').split('_');
    const joined = parts.join('');
    return (
      reserved.anywhere.some((word) =>
        // Across an underscore only from the start of a part: `un_said` is reserved, `arun_said` is not.
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

const teamPattern = /unsaid/iu;

/** Whether a name is of the team. Nobody can choose such a name: only `npm run team` sets one. */
export const isTeamName = (name: string): boolean => teamPattern.test(name);

/** Whether the team's command may set it. */
export const canNameTeam = (name: string): boolean => usernamePattern.test(name) && isTeamName(name);

export const getSelf = endpoint({
  method: 'GET',
  path: '/api/auth/user',
  summary: 'The signed-in user, with private fields.',
  isOpenToSuspended: true,
  response: selfResponse,
});

export const getUser = endpoint({
  method: 'GET',
  path: '/api/auth/user/:id',
  summary: 'Own profile, or that of a person in an open or mutual pair.',
  params: z.object({ id: sealedId }),
  response: z.object({ ...success, user: z.union([selfUser, publicUser]) }),
  errors: ['NOT_FOUND'],
  rate: ['profileViews'],
});

export const changeUsername = endpoint({
  method: 'PUT',
  path: '/api/auth/change-username',
  summary: 'Change the username. The old one is reserved for 30 days.',
  isSensitive: true,
  isSpeaking: true,
  body: z.object({ newUsername: z.string().check(z.maxLength(200)) }),
  response: selfResponse,
  errors: ['USERNAME_TAKEN', 'USERNAME_INVALID', 'IDENTIFYING_DETAILS'],
});

export const updateDetails = endpoint({
  method: 'PUT',
  path: '/api/auth/update-details',
  summary: 'Update the profile fields that are sent, and no others.',
  isSpeaking: true,
  body: profileDetails,
  invalidMessage: 'Profile update failed',
  response: z.object({ ...success, user: selfUser, token: z.optional(z.string()) }),
  errors: ['IDENTIFYING_DETAILS'],
  rate: ['profileEdits'],
});

export const regenerateAvatar = endpoint({
  method: 'PUT',
  path: '/api/auth/avatar',
  summary:
    'Generate a new avatar. The server picks it, so that no one can copy the avatar of another person.',
  response: selfResponse,
  rate: ['profileEdits'],
});
