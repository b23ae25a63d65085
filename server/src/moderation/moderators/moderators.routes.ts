import {
  enrol,
  enrolOptions,
  getMe,
  prove,
  proveOptions,
  signIn,
  signInOptions,
  signOut,
} from '@unsaid/contract/moderation/console';
import type { Binding } from '../../platform/http/bind.ts';
import type { ModeratorCookie } from './moderator-cookie.ts';
import { bindModerator } from './moderator.ts';
import type { ModeratorsService } from './sign-in.ts';

export function moderatorsRoutes(moderators: ModeratorsService, cookie: ModeratorCookie): Binding[] {
  return [
    bindModerator(enrolOptions, ({ body }) => moderators.enrolOptions(body.token)),
    bindModerator(enrol, ({ body }) => moderators.enrol(body.token, body.credential)),
    bindModerator(signInOptions, async () => ({ options: await moderators.signInOptions() })),
    bindModerator(signIn, async ({ body, caller }) => {
      const { token, moderator } = await moderators.signIn(body.credential);
      cookie.set(caller, token);
      return { me: await moderators.view(moderator) };
    }),
    bindModerator(proveOptions, async ({ viewer }) => ({ options: await moderators.proveOptions(viewer) })),
    bindModerator(prove, async ({ body, viewer }) => ({
      me: await moderators.view(await moderators.prove(viewer, body.credential)),
    })),
    bindModerator(signOut, async ({ viewer, caller }) => {
      await moderators.signOut(viewer);
      cookie.clear(caller);
    }),
    bindModerator(getMe, async ({ viewer }) => ({ me: await moderators.view(viewer) })),
  ];
}
