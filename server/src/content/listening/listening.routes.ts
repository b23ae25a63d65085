import { getHeard, listen } from '@unsaid/contract';
import { bind } from '../../kernel/viewer.ts';
import type { Binding } from '../../platform/http/bind.ts';
import type { ContentContext } from '../context.ts';
import { readHeard } from './heard.ts';
import { offerVents } from './listening.ts';

export const listeningRoutes = (ctx: ContentContext): Binding[] => [
  bind(listen, async ({ query, viewer }) => ({ vents: await offerVents(ctx, viewer, query) })),
  bind(getHeard, () => readHeard(ctx)),
];
