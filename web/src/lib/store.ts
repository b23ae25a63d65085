import { useSyncExternalStore } from 'react';

/** A value outside of React. Components that use it follow it. */
export interface Store<T> {
  readonly get: () => T;
  readonly set: (value: T) => void;
  readonly subscribe: (listener: () => void) => () => void;
  /** The value in a component, or the part that `select` returns. */
  readonly useValue: {
    <Part>(select: (value: T) => Part): Part;
    (): T;
  };
}

/** Outlives a session, so it holds nothing of a person: that is in a `createSessionStore`. */
export function createStore<T>(initial: T): Store<T> {
  const listeners = new Set<() => void>();
  let current = initial;
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    get: () => current,
    set(value) {
      current = value;
      for (const listener of listeners) listener();
    },
    subscribe,
    useValue: <Part>(select?: (value: T) => Part) =>
      useSyncExternalStore(subscribe, () => (select ? select(current) : (current as unknown as Part))),
  };
}

/** Readonly types only: a map that is changed in place would be its own initial value. */
type Immutable<T> = T extends { clear: unknown } | unknown[] ? never : T;

interface SessionStore {
  readonly store: Store<unknown>;
  readonly initial: unknown;
}

/** All session stores of the app, for `wipeSessionStores` and for the test that nothing is left after log-out. */
export const sessionStores = new Set<SessionStore>();

/**
 * A store of what belongs to one person. It returns to its initial value when the session ends or changes: the next
 * person on a shared phone must not see it. Made once, at the top of a module.
 */
export function createSessionStore<T>(initial: Immutable<T>): Store<T> {
  const store = createStore<T>(initial);
  sessionStores.add({ store: store as Store<unknown>, initial });
  return store;
}

/** Values by id that belong to one person, such as drafts that must not be in browser storage. */
export function createSessionMap<T>() {
  const store = createSessionStore<ReadonlyMap<string, T>>(new Map());
  return {
    get: (id: string): T | undefined => store.get().get(id),
    /** Undefined removes it. */
    set(id: string, value: T | undefined): void {
      const others = [...store.get()].filter(([one]) => one !== id);
      store.set(new Map(value === undefined ? others : [...others, [id, value]]));
    },
    useValue: (id: string): T | undefined => store.useValue((values) => values.get(id)),
  };
}

/** For session.ts only. */
export function wipeSessionStores(): void {
  for (const { store, initial } of sessionStores) store.set(initial);
}
