import { getChoices, hide, setMutes, unhide } from '@unsaid/contract';
import { bind } from '../kernel/viewer.ts';
import type { Binding } from '../platform/http/bind.ts';
import type { HidingService } from './hiding.ts';

export function hidingRoutes(choices: HidingService): Binding[] {
  return [
    bind(getChoices, ({ viewer }) => choices.list(viewer)),

    bind(hide, ({ body, viewer }) => choices.hide(viewer, body.about)),

    bind(unhide, ({ body, viewer }) => choices.unhide(viewer, body.about)),

    bind(setMutes, ({ body, viewer }) => choices.setMutes(viewer, body)),
  ];
}
