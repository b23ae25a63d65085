import { openLiveTicket, pollLiveCounts } from '@unsaid/contract';
import { bind } from '../kernel/viewer.ts';
import type { Binding } from '../platform/http/bind.ts';
import type { LiveService } from './live-counts.ts';

export function liveRoutes(live: LiveService): Binding[] {
  return [
    bind(openLiveTicket, ({ viewer, body }) => live.openTicket(viewer, body)),
    bind(pollLiveCounts, ({ viewer, body }) => live.poll(viewer, body)),
  ];
}
