import {
  limits,
  matchPreferences,
  profileDetails,
  type Emotion,
  type MatchPreference,
  type SelfUser,
} from '@unsaid/contract';
import { t } from '@lingui/core/macro';
import { useEffect } from 'react';
import { useWatch, type Control, type UseFormSetError, type UseFormSetValue } from 'react-hook-form';
import { errorText } from '../../lib/error-text.ts';
import type { IdentityGuard, WrittenFields } from '../../ui/identity-problem.ts';
import { identityGuard, useIdentityGuard } from '../../ui/use-identity-guard.ts';
import { UsernameRejected, type DetailsInput } from './profile.api.ts';

export interface ProfileValues {
  username: string;
  bio: string;
  interests: string[];
  likes: string[];
  dislikes: string[];
  feelings: Emotion[];
  matchPreference: MatchPreference | '';
  anonymousChat: boolean;
  allowComments: boolean;
  /** Offered together with a new name. */
  newPicture: boolean;
}

export function valuesOf(self: SelfUser): ProfileValues {
  return {
    username: self.username ?? '',
    bio: self.bio,
    interests: self.interests,
    likes: self.likes,
    dislikes: self.dislikes,
    feelings: self.feelings,
    matchPreference: self.preferences.matchPreference ?? '',
    anonymousChat: self.preferences.anonymousChat,
    allowComments: self.allowComments,
    newPicture: true,
  };
}

/** Feelings are sent only if changed: sending them confirms that they are current. */
function shared(values: ProfileValues, named: readonly Emotion[]): DetailsInput {
  const { bio, interests, likes, dislikes, feelings } = values;
  const isChanged = feelings.join() !== named.join();
  return { bio, interests, likes, dislikes, ...(isChanged && { feelings }) };
}

/** Body of the sign-up form: the preference as a bare string, and no allowComments. */
export function signupDetails(values: ProfileValues): DetailsInput {
  return { ...shared(values, []), preferences: values.matchPreference };
}

/** Body of the Update Profile dialog. `named` are the feelings the form started with. */
export function dialogDetails(values: ProfileValues, named: readonly Emotion[]): DetailsInput {
  const { allowComments, matchPreference, anonymousChat } = values;
  return { ...shared(values, named), allowComments, preferences: { matchPreference, anonymousChat } };
}

/** Validates against the contract before sending, and sets an error on each invalid field. */
export function validateDetails(details: DetailsInput, setError: UseFormSetError<ProfileValues>): boolean {
  const parsed = profileDetails.safeParse(details);
  if (parsed.success) return true;
  for (const { path } of parsed.error.issues) {
    const [field] = path;
    if (field === 'bio') setError('bio', { message: t`Please keep it within ${limits.bio} characters.` });
    else if (field === 'interests' || field === 'likes' || field === 'dislikes') {
      setError(field, {
        message: t`You can add up to ${limits.profileListItems}, each within ${limits.profileListItem} characters.`,
      });
    } else setError('root', { message: t`Profile update failed` });
  }
  return false;
}

export function showSaveError(error: unknown, setError: UseFormSetError<ProfileValues>): void {
  if (error instanceof UsernameRejected) {
    setError(
      'username',
      { message: errorText(error.cause, t`Profile update failed`) },
      { shouldFocus: true },
    );
  } else {
    setError('root', { message: errorText(error, t`Profile update failed`) });
  }
}

export interface ProfileIdentity {
  readonly guard: IdentityGuard;
  readonly isProfile: true;
  readonly onHide: (hidden: WrittenFields) => void;
  readonly onPostAnyway: () => void;
}

const writtenOf = ({ username, bio, interests, likes, dislikes }: ProfileValues) => ({
  ...{ username, bio, interests, likes, dislikes },
});

interface ProfileGuardOptions {
  readonly control: Control<ProfileValues>;
  readonly setValue: UseFormSetValue<ProfileValues>;
  readonly save: (isSure: boolean) => void;
}

/** The identity guard of a profile form. Any change takes the notice away. */
export function useProfileGuard({ control, setValue, save }: ProfileGuardOptions) {
  const guard = useIdentityGuard();
  const values = useWatch({ control });
  const { clear } = guard;
  useEffect(() => identityGuard.prepare(), []);
  useEffect(clear, [values, clear]);
  const identity: ProfileIdentity = {
    guard,
    isProfile: true,
    onHide: (hidden) => {
      for (const [name, value] of Object.entries(hidden))
        setValue(name as 'bio', value as string, { shouldDirty: true });
    },
    onPostAnyway: () => save(true),
  };
  return {
    identity,
    check: (written: ProfileValues, isSure: boolean) => guard.check(writtenOf(written), isSure),
    showRefusal: (error: unknown, written: ProfileValues) => {
      const { cause } = error as Error;
      return guard.showRefusal(cause ?? error, writtenOf(written));
    },
  };
}

export const preferenceOptions = [...matchPreferences, ''] as const;
