import { getHeard, listen } from '@unsaid/contract';
import { bind } from '../../kernel/viewer.ts';
import type { Binding } from '../../platform/http/bind.ts';
import type { HeardService } from './heard.ts';
import type { ListeningService } from './listening.ts';

export function listeningRoutes(listening: ListeningService, heard: HeardService): Binding[] {
  return [
    bind(listen, async ({ query, viewer }) => ({ vents: await listening.listen(viewer, query) })),
    bind(getHeard, () => heard.read()),
  ];
}
