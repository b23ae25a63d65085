import { changeUsername, regenerateAvatar, getSelf, getUser, updateDetails } from '@unsaid/contract';
import { bind } from '../auth/viewer.ts';
import type { Binding } from '../platform/http/bind.ts';
import type { Viewer } from '../auth/viewer.ts';
import type { ProfilesService } from './profiles.service.ts';

/** Resolves a peer id for the viewer, while the pair is open or mutual. */
export type FindPeer = (viewer: Viewer, shownId: string) => Promise<bigint | null>;

export function profilesRoutes(profiles: ProfilesService, findPeer: FindPeer): Binding[] {
  return [
    bind(getSelf, async ({ viewer }) => ({ user: await profiles.self(viewer.userId) })),

    bind(getUser, async ({ params, viewer }) => ({
      user: await profiles.byId(viewer, params.id, await findPeer(viewer, params.id)),
    })),

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
