import { dropHeldVent, listHeldVents, releaseHeldVent } from '@unsaid/contract';
import { bind } from '../../kernel/viewer.ts';
import type { Binding } from '../../platform/http/bind.ts';
import type { HeldVents } from './held-vents.ts';

export function heldVentsRoutes(held: HeldVents): Binding[] {
  return [
    bind(listHeldVents, async ({ viewer }) => ({
      held: await held.list(viewer.person),
      usuallyWithinHours: await held.usuallyWithinHours(),
    })),

    bind(releaseHeldVent, async ({ params, viewer }) => ({ vent: await held.release(viewer, params.id) })),

    bind(dropHeldVent, ({ params, viewer }) => held.drop(viewer.person, params.id)),
  ];
}
