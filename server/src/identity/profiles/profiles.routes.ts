import {
  agreeToNotice,
  changeUsername,
  getAgreement,
  getSelf,
  regenerateAvatar,
  updateDetails,
} from '@unsaid/contract';
import { bind } from '../../kernel/viewer.ts';
import type { Binding } from '../../platform/http/bind.ts';
import type { IdentityContext } from '../context.ts';
import * as profiles from './profiles.ts';

export const profilesRoutes = (ctx: IdentityContext): Binding[] => [
  bind(getSelf, async ({ viewer }) => ({ user: await profiles.findSelf(ctx, viewer.userId) })),

  bind(changeUsername, async ({ body, viewer }) => ({
    user: await profiles.changeUsername(ctx, viewer, body.newUsername),
  })),

  bind(updateDetails, async ({ body, viewer, caller }) => {
    const { user, isFirst } = await profiles.updateDetails(ctx, viewer, body);
    // At sign-up the specified front end expects a token here: the one it sent, never a new one.
    return { user, ...(isFirst && caller.token ? { token: caller.token } : {}) };
  }),

  bind(regenerateAvatar, async ({ viewer }) => ({ user: await profiles.regenerateAvatar(ctx, viewer) })),

  bind(getAgreement, async ({ viewer }) => ({
    version: (await profiles.findAgreement(ctx, viewer.userId)).version,
  })),

  bind(agreeToNotice, ({ viewer, body }) => profiles.recordAgreement(ctx, viewer.userId, body.version)),
];
