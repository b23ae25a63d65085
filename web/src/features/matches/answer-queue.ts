import { t } from '@lingui/core/macro';
import type { QueryClient } from '@tanstack/react-query';
import { failureText } from '../../lib/error-text.ts';
import { getAccountId } from '../../lib/session.ts';
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
  readonly subscribe: (listener: () => void) => () => void;
  readonly get: (id: string) => AnswerState | undefined;
  /** Called when the server has accepted an answer, or will accept none any more. */
  readonly onSettled: (listener: SettledListener) => () => void;
  /** Queues an answer. A second one for the same match is ignored. */
  readonly answer: (match: OpenMatch, kind: AnswerKind) => void;
  readonly undo: (id: string) => void;
  /** Stops the time for an undo, and starts it again in full. */
  readonly pause: (id: string) => void;
  readonly resume: (id: string) => void;
  /** Sends all queued answers now. They arrive even if the page is closed. Resolves with the last response. */
  readonly flush: () => Promise<unknown>;
}

function doneText(kind: AnswerKind): string {
  const texts: Readonly<Record<AnswerKind, string>> = {
    accept: t`Match accepted!`,
    reject: t`Match rejected`,
    withdraw: t`You took your yes back. They aren't told.`,
  };
  return texts[kind];
}

function failedText(kind: AnswerKind): string {
  const texts: Readonly<Record<AnswerKind, string>> = {
    accept: t`Failed to accept match`,
    reject: t`Failed to reject match`,
    withdraw: t`Couldn't take it back`,
  };
  return texts[kind];
}

/** Holds answers for as long as they can be undone, then sends them. */
export function createAnswerQueue(client: QueryClient): AnswerQueue {
  const states = new Map<string, AnswerState>();
  const queued = new Map<string, { readonly match: OpenMatch; timer?: ReturnType<typeof setTimeout> }>();
  const listeners = new Set<() => void>();
  const settledListeners = new Set<SettledListener>();

  const setState = (id: string, state: AnswerState | undefined) => {
    if (state) states.set(id, state);
    else states.delete(id);
    for (const listener of listeners) listener();
  };

  const settle = (match: OpenMatch, outcome?: Outcome) => {
    for (const listener of settledListeners) listener(match, outcome);
    dropMatch(client, match.id);
    setState(match.id, undefined);
  };

  const send = async (id: string, isLeaving = false) => {
    const match = queued.get(id)?.match;
    const kind = states.get(id)?.kind;
    clearTimeout(queued.get(id)?.timer);
    queued.delete(id);
    if (!match || !kind) return;
    setState(id, { phase: 'sending', kind });
    const accountId = getAccountId();
    // Sent at log-out: the screen may be another person's by now.
    const isOver = () => getAccountId() !== accountId;
    try {
      const { isMutual } = await sendAnswer(client, match, { kind, keepalive: isLeaving });
      if (isOver()) return;
      toast(doneText(kind));
      settle(match, isMutual ? { isMutual } : undefined);
    } catch (error) {
      if (isOver()) return;
      const sentence = failureText(error, failedText(kind));
      toast(sentence);
      if (isTooLate(error)) settle(match, { isMutual: false, sentence });
      else setState(id, { phase: 'failed', kind, sentence });
    }
  };

  const resume = (id: string) => {
    const entry = queued.get(id);
    if (!entry) return;
    clearTimeout(entry.timer);
    entry.timer = setTimeout(() => void send(id), undoMs);
  };

  return {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    get: (id) => states.get(id),
    onSettled: (listener) => {
      settledListeners.add(listener);
      return () => void settledListeners.delete(listener);
    },
    answer: (match, kind) => {
      const phase = states.get(match.id)?.phase;
      if (phase === 'undoable' || phase === 'sending') return;
      queued.set(match.id, { match });
      resume(match.id);
      setState(match.id, { phase: 'undoable', kind });
    },
    undo: (id) => {
      const entry = queued.get(id);
      // Already sent.
      if (!entry) return;
      clearTimeout(entry.timer);
      queued.delete(id);
      setState(id, undefined);
    },
    pause: (id) => clearTimeout(queued.get(id)?.timer),
    resume,
    flush: () => Promise.all([...queued.keys()].map((id) => send(id, true))),
  };
}
