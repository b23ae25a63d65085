import type { ReactionCounts, ReactionType, VentView } from '@unsaid/contract';
import { withReaction } from '../vent-cache.ts';

interface ReactionResponse {
  readonly reactions: ReactionCounts;
  readonly myReactions: ReactionType[];
}

interface ReactionsOptions {
  readonly send: (ventId: string, type: ReactionType, isActive: boolean) => Promise<ReactionResponse>;
  /** Changes the vent in all cached lists. */
  readonly change: (ventId: string, change: (vent: VentView) => VentView) => void;
  readonly log: (error: unknown) => void;
  /** Delay after each request, in which further taps are combined. */
  readonly pause: () => Promise<void>;
}

interface Intent {
  readonly type: ReactionType;
  wanted: boolean;
  /** State known to be on the server. Undefined after a lost response. */
  serverState: boolean | undefined;
  /** State to show again if the request fails. */
  lastConfirmed: boolean;
}

/**
 * Optimistic reactions. A tap shows at once, and requests are sent one at a time: the next request carries
 * the latest intent, and none is sent if the server already has it.
 */
export function createReactions({ send, change, log, pause }: ReactionsOptions) {
  const pending = new Map<string, Map<ReactionType, Intent>>();

  /** Applies pending reactions to a vent from the server. */
  function withPending(vent: VentView): VentView {
    let shown = vent;
    for (const { type, wanted } of pending.get(vent._id)?.values() ?? []) {
      shown = withReaction(shown, type, wanted);
    }
    return shown;
  }

  function settle(ventId: string, type: ReactionType): void {
    const intents = pending.get(ventId);
    intents?.delete(type);
    if (intents?.size === 0) pending.delete(ventId);
  }

  async function sync(ventId: string, intent: Intent): Promise<void> {
    let response: ReactionResponse | undefined;
    while (intent.wanted !== intent.serverState) {
      const sent = intent.wanted;
      try {
        response = await send(ventId, intent.type, sent);
        intent.serverState = sent;
        intent.lastConfirmed = sent;
        await pause();
      } catch (error) {
        log(error);
        intent.serverState = undefined;
        // Tapped again meanwhile: try the newer intent instead of rolling back.
        if (intent.wanted !== sent) continue;
        settle(ventId, intent.type);
        change(ventId, (vent) => withReaction(vent, intent.type, intent.lastConfirmed));
        return;
      }
    }
    settle(ventId, intent.type);
    if (response) change(ventId, (vent) => withPending({ ...vent, ...pick(response) }));
  }

  async function toggle(vent: VentView, type: ReactionType): Promise<void> {
    const intents = pending.get(vent._id) ?? new Map<ReactionType, Intent>();
    pending.set(vent._id, intents);
    const running = intents.get(type);
    const isActive = vent.myReactions.includes(type);
    const intent = running ?? { type, wanted: isActive, serverState: isActive, lastConfirmed: isActive };
    intent.wanted = !intent.wanted;
    intents.set(type, intent);
    change(vent._id, (shown) => withReaction(shown, type, intent.wanted));
    if (!running) await sync(vent._id, intent);
  }

  return { toggle, withPending };
}

function pick({ reactions, myReactions }: ReactionResponse): ReactionResponse {
  return { reactions, myReactions };
}
