import * as calls from '@unsaid/contract/moderation/console';
import type { Binding } from '../../platform/http/bind.ts';
import type { ConsoleContext } from '../context.ts';
import { clearModeratorCookie, setModeratorCookie } from './moderator-access.ts';
import { bindModerator } from './moderator.ts';
import * as moderators from './sign-in.ts';

export const moderatorsRoutes = (ctx: ConsoleContext): Binding[] => [
  bindModerator(calls.enrolOptions, ({ body }) => moderators.startEnrolment(ctx, body.token)),
  bindModerator(calls.enrol, ({ body }) => moderators.enrolPasskey(ctx, body.token, body.credential)),
  bindModerator(calls.signInOptions, async () => ({ options: await moderators.startSignIn(ctx) })),
  bindModerator(calls.signIn, async ({ body, caller }) => {
    const { token, moderator } = await moderators.signInModerator(ctx, body.credential);
    setModeratorCookie(ctx, caller, token);
    return { me: await moderators.viewModerator(ctx, moderator) };
  }),
  bindModerator(calls.proveOptions, async ({ viewer }) => ({
    options: await moderators.startProof(ctx, viewer),
  })),
  bindModerator(calls.prove, async ({ body, viewer }) => {
    const proven = await moderators.proveModerator(ctx, viewer, body.credential);
    return { me: await moderators.viewModerator(ctx, proven) };
  }),
  bindModerator(calls.signOut, async ({ viewer, caller }) => {
    await moderators.signOutModerator(ctx, viewer);
    clearModeratorCookie(ctx, caller);
  }),
  bindModerator(calls.getMe, async ({ viewer }) => ({ me: await moderators.viewModerator(ctx, viewer) })),
];
