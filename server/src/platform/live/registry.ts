import { randomInt } from 'node:crypto';
import type { LiveCounts } from '@unsaid/contract';
import type { WebSocket } from 'ws';
import type { Metrics } from '../metrics.ts';
import type { LiveGrant } from './tickets.ts';

/** Who holds a connection. The application may add what it counts by. */
export interface LiveMember {
  /** The same for all connections of a person. */
  readonly subject: string;
  /** An opaque name of the session, by which its end is announced. */
  readonly sessionName: string;
}

export interface Connection<M> {
  readonly socket: WebSocket;
  readonly member: M;
  readonly session: Buffer;
  /** Elapsed time at which it closes, to be opened again with a new ticket. */
  readonly endsAt: number;
  cursor: string | undefined;
  counts: LiveCounts;
  recountAt: number;
  /** Both, encrypted for the browser. */
  counted: string;
  /** A pong has come since the last ping. */
  isAlive: boolean;
  isPreparing: boolean;
  /** Frames received since `windowFrom`. */
  frames: number;
  windowFrom: number;
}

const lifeMs = { least: 25 * 60_000, most: 35 * 60_000 };
const socketsPerPerson = 5;

export function newConnection<M>(
  socket: WebSocket,
  member: M,
  { session, cursor, counts, recountAt }: LiveGrant,
  { counted, now }: { readonly counted: string; readonly now: number },
): Connection<M> {
  return {
    socket,
    member,
    session,
    endsAt: now + randomInt(lifeMs.least, lifeMs.most),
    cursor,
    counts,
    recountAt,
    counted,
    isAlive: true,
    isPreparing: false,
    frames: 0,
    windowFrom: now,
  };
}

/** The open connections of this process, by session and by person. */
export interface Registry<M extends LiveMember> {
  readonly all: ReadonlySet<Connection<M>>;
  ofSession(name: string): Iterable<Connection<M>>;
  hasRoomFor(member: M): boolean;
  add(one: Connection<M>): void;
  remove(one: Connection<M>): void;
}

export function createRegistry<M extends LiveMember>(metrics: Metrics): Registry<M> {
  const all = new Set<Connection<M>>();
  const bySession = new Map<string, Set<Connection<M>>>();
  const countOfPerson = new Map<string, number>();
  return {
    all,
    ofSession: (name) => bySession.get(name) ?? [],
    hasRoomFor: ({ subject }) => (countOfPerson.get(subject) ?? 0) < socketsPerPerson,
    add(one) {
      const { sessionName, subject } = one.member;
      bySession.set(sessionName, (bySession.get(sessionName) ?? new Set()).add(one));
      countOfPerson.set(subject, (countOfPerson.get(subject) ?? 0) + 1);
      all.add(one);
      metrics.liveSockets.set(all.size);
    },
    remove(one) {
      const { sessionName, subject } = one.member;
      const ofSession = bySession.get(sessionName);
      ofSession?.delete(one);
      if (ofSession?.size === 0) bySession.delete(sessionName);
      const left = (countOfPerson.get(subject) ?? 1) - 1;
      if (left > 0) countOfPerson.set(subject, left);
      else countOfPerson.delete(subject);
      all.delete(one);
      metrics.liveSockets.set(all.size);
    },
  };
}
