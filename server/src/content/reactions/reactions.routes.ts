import { react } from '@unsaid/contract';
import { bind } from '../../kernel/viewer.ts';
import type { Binding } from '../../platform/http/bind.ts';
import type { ContentContext } from '../context.ts';
import { reactToVent } from './reactions.ts';

export const reactionsRoutes = (ctx: ContentContext): Binding[] => [
  bind(react, ({ body, viewer }) => reactToVent(ctx, viewer, body)),
];
