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
import type { ConsoleContext } from '../context.ts';
import { clearModeratorCookie, setModeratorCookie } from './moderator-access.ts';
import { bindModerator } from './moderator.ts';
import * as moderators from './sign-in.ts';

export const moderatorsRoutes = (ctx: ConsoleContext): Binding[] => [
  bindModerator(enrolOptions, ({ body }) => moderators.startEnrolment(ctx, body.token)),
  bindModerator(enrol, ({ body }) => moderators.enrolPasskey(ctx, body.token, body.credential)),
  bindModerator(signInOptions, async () => ({ options: await moderators.startSignIn(ctx) })),
  bindModerator(signIn, async ({ body, caller }) => {
    const { token, moderator } = await moderators.signInModerator(ctx, body.credential);
    setModeratorCookie(ctx, caller, token);
    return { me: await moderators.viewModerator(ctx, moderator) };
  }),
  bindModerator(proveOptions, async ({ viewer }) => ({ options: await moderators.startProof(ctx, viewer) })),
  bindModerator(prove, async ({ body, viewer }) => {
    const proven = await moderators.proveModerator(ctx, viewer, body.credential);
    return { me: await moderators.viewModerator(ctx, proven) };
  }),
  bindModerator(signOut, async ({ viewer, caller }) => {
    await moderators.signOutModerator(ctx, viewer);
    clearModeratorCookie(ctx, caller);
  }),
  bindModerator(getMe, async ({ viewer }) => ({ me: await moderators.viewModerator(ctx, viewer) })),
];
