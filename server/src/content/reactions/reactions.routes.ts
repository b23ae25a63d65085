import { react } from '@unsaid/contract';
import { bind } from '../../kernel/viewer.ts';
import type { Binding } from '../../platform/http/bind.ts';
import type { ReactionsService } from './reactions.ts';

export function reactionsRoutes(reactions: ReactionsService): Binding[] {
  return [bind(react, ({ body, viewer }) => reactions.react(viewer, body))];
}
