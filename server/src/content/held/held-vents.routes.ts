import * as calls from '@unsaid/contract';
import { bind } from '../../kernel/viewer.ts';
import type { Binding } from '../../platform/http/bind.ts';
import type { ContentContext } from '../context.ts';
import { dropHeld, listHeld, readUsualHours, releaseHeld } from './held-vents.ts';

export const heldVentsRoutes = (ctx: ContentContext): Binding[] => [
  bind(calls.listHeldVents, async ({ viewer }) => ({
    held: await listHeld(ctx, viewer.person),
    usuallyWithinHours: await readUsualHours(ctx),
  })),
  bind(calls.releaseHeldVent, async ({ params, viewer }) => ({
    vent: await releaseHeld(ctx, viewer, params.id),
  })),
  bind(calls.dropHeldVent, ({ params, viewer }) => dropHeld(ctx, viewer.person, params.id)),
];
