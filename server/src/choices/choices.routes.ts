import { getChoices, hide, setMutes, unhide } from '@unsaid/contract';
import { bind } from '../auth/viewer.ts';
import type { Binding } from '../platform/http/bind.ts';
import type { ChoicesService } from './choices.service.ts';

export function choicesRoutes(choices: ChoicesService): Binding[] {
  return [
    bind(getChoices, ({ viewer }) => choices.list(viewer)),

    bind(hide, ({ body, viewer }) => choices.hide(viewer, body.about)),

    bind(unhide, ({ body, viewer }) => choices.unhide(viewer, body.about)),

    bind(setMutes, ({ body, viewer }) => choices.setMutes(viewer, body)),
  ];
}
