import {
  changeUsername,
  regenerateAvatar,
  updateDetails,
  type RequestOf,
  type SelfUser,
} from '@unsaid/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { apiCall } from '../../lib/api-client.ts';
import { setCurrentUser } from '../../lib/current-user.ts';
import { setFeelings } from '../../lib/feelings.ts';

export type DetailsInput = RequestOf<typeof updateDetails>['body'];

/** The change of name failed, so that the form can show the error at that field. */
export class UsernameRejected extends Error {
  override readonly name = 'UsernameRejected';
}

interface ProfileChange {
  readonly self: SelfUser;
  readonly username: string;
  readonly details: DetailsInput;
  /** Also requests a new picture. The URL of the old one would link the old name to the new one. */
  readonly wantsNewPicture?: boolean;
}

/** Changes the name first, because it can be rejected, and only if it differs and is not blank. */
export function useSaveProfile() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ self, username, details, wantsNewPicture }: ProfileChange) => {
      if (username !== '' && username !== self.username) {
        try {
          const { user } = await apiCall(changeUsername, { body: { newUsername: username } });
          setCurrentUser(client, user);
        } catch (error) {
          throw new UsernameRejected('', { cause: error });
        }
      }
      if (wantsNewPicture) setCurrentUser(client, (await apiCall(regenerateAvatar)).user);
      const { user } = await apiCall(updateDetails, { body: details });
      if (details.feelings) setFeelings(client, user);
      else setCurrentUser(client, user);
      return user;
    },
  });
}

export function useRegenerateAvatar() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => apiCall(regenerateAvatar),
    onSuccess: ({ user }) => setCurrentUser(client, user),
  });
}
