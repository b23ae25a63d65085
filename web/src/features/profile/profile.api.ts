import { changeUsername, drawAvatar, updateDetails, type RequestOf, type SelfUser } from '@unsaid/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { apiCall } from '../../lib/api-client.ts';
import { setFeelings } from '../../lib/feelings.ts';
import { setSelf } from '../../lib/self.ts';

export type DetailsInput = RequestOf<typeof updateDetails>['body'];

/** Thrown by the first half of saving, so that the form knows which field to speak beside. */
export class UsernameRefused extends Error {
  override readonly name = 'UsernameRefused';
}

interface ProfileChange {
  readonly self: SelfUser;
  readonly username: string;
  readonly details: DetailsInput;
  /** A picture's address stays the same, so it would lead from the old name to the new one. */
  readonly isPictureDrawn?: boolean;
}

/** The name first, since it can be refused; and only if it differs and is not blank. */
export function useSaveProfile() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ self, username, details, isPictureDrawn }: ProfileChange) => {
      if (username !== '' && username !== self.username) {
        try {
          const { user } = await apiCall(changeUsername, { body: { newUsername: username } });
          setSelf(client, user);
        } catch (error) {
          throw new UsernameRefused('', { cause: error });
        }
      }
      if (isPictureDrawn) setSelf(client, (await apiCall(drawAvatar)).user);
      const { user } = await apiCall(updateDetails, { body: details });
      if (details.feelings) setFeelings(client, user);
      else setSelf(client, user);
      return user;
    },
  });
}

export function useDrawAvatar() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => apiCall(drawAvatar),
    onSuccess: ({ user }) => setSelf(client, user),
  });
}
