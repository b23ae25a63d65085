import { changeUsername, drawAvatar, getSelf, getUser, updateDetails } from '@unsaid/contract';
import { bind, type Binding } from '../platform/http/bind.ts';
import type { ProfilesService } from './profiles.service.ts';

export function profilesRoutes(profiles: ProfilesService): Binding[] {
  return [
    bind(getSelf, async ({ viewer }) => ({ user: await profiles.self(viewer.userId) })),

    bind(getUser, async ({ params, viewer }) => ({ user: await profiles.byId(viewer, params.id) })),

    bind(changeUsername, async ({ body, viewer }) => ({
      user: await profiles.changeUsername(viewer, body.newUsername),
    })),

    bind(updateDetails, async ({ body, viewer, caller }) => {
      const { user, isFirst } = await profiles.updateDetails(viewer, body);
      // At signup the spec's front end expects a token here: the one it sent, never a new one.
      return { user, ...(isFirst && caller.token ? { token: caller.token } : {}) };
    }),

    bind(drawAvatar, async ({ viewer }) => ({ user: await profiles.drawAvatar(viewer) })),
  ];
}
