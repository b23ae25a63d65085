import { listen } from '@unsaid/contract';
import { bind } from '../../kernel/viewer.ts';
import type { Binding } from '../../platform/http/bind.ts';
import type { ListeningService } from './listening.service.ts';

export function listeningRoutes(listening: ListeningService): Binding[] {
  return [bind(listen, async ({ query, viewer }) => ({ vents: await listening.listen(viewer, query) }))];
}
