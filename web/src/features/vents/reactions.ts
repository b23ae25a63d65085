import type { ReactionCounts, ReactionType, VentView } from '@unsaid/contract';
import { withReaction } from './vent-cache.ts';

interface Answer {
  readonly reactions: ReactionCounts;
  readonly myReactions: ReactionType[];
}

interface ReactionsOptions {
  readonly send: (ventId: string, type: ReactionType, isActive: boolean) => Promise<Answer>;
  /** Changes the vent wherever it is shown. */
  readonly change: (ventId: string, change: (vent: VentView) => VentView) => void;
  readonly log: (error: unknown) => void;
  /** A breath after each call, in which further taps come to one. */
  readonly rest: () => Promise<void>;
}

interface Intent {
  readonly type: ReactionType;
  wanted: boolean;
  /** What the server is known to hold; unknown after an answer was lost. */
  held: boolean | undefined;
  /** What to show again if it cannot be had. */
  lastSure: boolean;
}

/**
 * Shows a tap at once and tells the server one thing at a time: however fast somebody taps,
 * what goes out next is what they last meant, and nothing if that is what the server holds already.
 */
export function createReactions({ send, change, log, rest }: ReactionsOptions) {
  const pending = new Map<string, Map<ReactionType, Intent>>();

  /** A vent fresh from the server, with what is still on its way there. */
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

  async function tell(ventId: string, intent: Intent): Promise<void> {
    let answer: Answer | undefined;
    while (intent.wanted !== intent.held) {
      const told = intent.wanted;
      try {
        answer = await send(ventId, intent.type, told);
        intent.held = told;
        intent.lastSure = told;
        await rest();
      } catch (error) {
        log(error);
        intent.held = undefined;
        // Somebody who has tapped again meanwhile wants something else: that is tried.
        if (intent.wanted !== told) continue;
        settle(ventId, intent.type);
        change(ventId, (vent) => withReaction(vent, intent.type, intent.lastSure));
        return;
      }
    }
    settle(ventId, intent.type);
    if (answer) change(ventId, (vent) => withPending({ ...vent, ...pick(answer) }));
  }

  async function toggle(vent: VentView, type: ReactionType): Promise<void> {
    const intents = pending.get(vent._id) ?? new Map<ReactionType, Intent>();
    pending.set(vent._id, intents);
    const running = intents.get(type);
    const isActive = vent.myReactions.includes(type);
    const intent = running ?? { type, wanted: isActive, held: isActive, lastSure: isActive };
    intent.wanted = !intent.wanted;
    intents.set(type, intent);
    change(vent._id, (shown) => withReaction(shown, type, intent.wanted));
    if (!running) await tell(vent._id, intent);
  }

  return { toggle, withPending };
}

function pick({ reactions, myReactions }: Answer): Answer {
  return { reactions, myReactions };
}
