import { t } from '@lingui/core/macro';
import type { QueryClient } from '@tanstack/react-query';
import { failureText } from '../../lib/error-text.ts';
import { getAccountId } from '../../lib/session.ts';
import { createStore, type Store } from '../../lib/store.ts';
import { createUndoable, type Undoable } from '../../lib/use-undoable.ts';
import { toast } from '../../ui/toast.tsx';
import type { AnswerKind, OpenMatch } from './match-view.ts';
import { dropMatch, isTooLate, sendAnswer } from './matches.api.ts';

/** How long an answer can be undone before it is sent. */
export const undoMs = 4000;

/** What happened to an answer that is not settled yet. */
export type AnswerState =
  | { readonly phase: 'undoable' | 'sending'; readonly kind: AnswerKind }
  | { readonly phase: 'failed'; readonly kind: AnswerKind; readonly sentence: string };

/** Why a card stays after its match left the list: both accepted, or the reply came too late. */
export type Outcome = { readonly isMutual: true } | { readonly isMutual: false; readonly sentence: string };

type SettledListener = (match: OpenMatch, outcome: Outcome | undefined) => void;

export interface AnswerQueue {
  readonly states: Pick<Store<ReadonlyMap<string, AnswerState>>, 'get' | 'subscribe'>;
  /** Called when the server has accepted an answer, or will accept none any more. */
  readonly onSettled: (listener: SettledListener) => () => void;
  /** Queues an answer. A second one for the same match is ignored. */
  readonly answer: (match: OpenMatch, kind: AnswerKind) => void;
  readonly undo: (id: string) => void;
  readonly pause: (id: string) => void;
  readonly resume: (id: string) => void;
  /** Sends all queued answers now. They arrive even if the page is closed. Resolves with the last response. */
  readonly flush: () => Promise<unknown>;
}

/** With the name: it comes seconds after the press, and the card in view may be another one. */
function doneText(kind: AnswerKind, name: string): string {
  const texts: Readonly<Record<AnswerKind, string>> = {
    accept: `${t`Match accepted!`} ${t`You said yes to ${name}.`}`,
    reject: `${t`Match rejected`}: ${name}`,
    withdraw: t`You took back your yes to ${name}. They aren't told.`,
    part: t`You ended it with ${name}.`,
  };
  return texts[kind];
}

function failedText(kind: AnswerKind): string {
  const texts: Readonly<Record<AnswerKind, string>> = {
    accept: t`Failed to accept match`,
    reject: t`Failed to reject match`,
    withdraw: t`Couldn't take it back`,
    part: t`Couldn't end it`,
  };
  return texts[kind];
}

/** Holds answers for as long as they can be undone, then sends them. */
export function createAnswerQueue(client: QueryClient): AnswerQueue {
  const states = createStore<ReadonlyMap<string, AnswerState>>(new Map());
  const undoables = new Map<string, Undoable>();
  const settledListeners = new Set<SettledListener>();

  const setState = (id: string, state?: AnswerState) => {
    const others = [...states.get()].filter(([one]) => one !== id);
    states.set(new Map(state ? [...others, [id, state]] : others));
  };

  const settle = (match: OpenMatch, outcome?: Outcome) => {
    for (const listener of settledListeners) listener(match, outcome);
    dropMatch(client, match.id);
    setState(match.id);
  };

  const send = async (match: OpenMatch, kind: AnswerKind) => {
    setState(match.id, { phase: 'sending', kind });
    const accountId = getAccountId();
    // Sent at log-out: the screen may be another person's by now.
    const isOver = () => getAccountId() !== accountId;
    try {
      const { isMutual } = await sendAnswer(client, match, kind);
      if (isOver()) return;
      toast(doneText(kind, match.other.name));
      settle(match, isMutual ? { isMutual } : undefined);
    } catch (error) {
      if (isOver()) return;
      const sentence = failureText(error, failedText(kind));
      toast(sentence);
      if (isTooLate(error)) settle(match, { isMutual: false, sentence });
      else setState(match.id, { phase: 'failed', kind, sentence });
    }
  };

  return {
    states,
    onSettled: (listener) => {
      settledListeners.add(listener);
      return () => void settledListeners.delete(listener);
    },
    answer: (match, kind) => {
      const phase = states.get().get(match.id)?.phase;
      if (phase === 'undoable' || phase === 'sending') return;
      const undoable = createUndoable(undoMs, (isPending) => isPending || undoables.delete(match.id));
      undoables.set(match.id, undoable);
      setState(match.id, { phase: 'undoable', kind });
      undoable.start(() => send(match, kind));
    },
    undo: (id) => {
      const undoable = undoables.get(id);
      // Already sent.
      if (!undoable) return;
      undoable.undo();
      setState(id);
    },
    pause: (id) => undoables.get(id)?.pause(),
    resume: (id) => undoables.get(id)?.resume(),
    flush: () => Promise.all([...undoables.values()].map((undoable) => undoable.flush())),
  };
}
