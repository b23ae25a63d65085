import { changeUsername, regenerateAvatar, getSelf, updateDetails } from '@unsaid/contract';
import { bind } from '../../kernel/viewer.ts';
import type { Binding } from '../../platform/http/bind.ts';
import type { ProfilesService } from './profiles.ts';

export function profilesRoutes(profiles: ProfilesService): Binding[] {
  return [
    bind(getSelf, async ({ viewer }) => ({ user: await profiles.self(viewer.userId) })),

    bind(changeUsername, async ({ body, viewer }) => ({
      user: await profiles.changeUsername(viewer, body.newUsername),
    })),

    bind(updateDetails, async ({ body, viewer, caller }) => {
      const { user, isFirst } = await profiles.updateDetails(viewer, body);
      // At sign-up the specified front end expects a token here: the one it sent, never a new one.
      return { user, ...(isFirst && caller.token ? { token: caller.token } : {}) };
    }),

    bind(regenerateAvatar, async ({ viewer }) => ({ user: await profiles.regenerateAvatar(viewer) })),
  ];
}
