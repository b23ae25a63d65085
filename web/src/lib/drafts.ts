import * as z from 'zod/mini';
import { draftLifetimeMs } from './draft-lifetime.ts';
import { isRecord } from './history-state.ts';
import { draftKey, draftPrefix, shortHash } from './session.ts';
import { localStore } from './storage.ts';

/** Newest first. */
const storedList = z.array(z.object({ of: z.string(), savedAt: z.number(), draft: z.unknown() }));
type StoredList = z.output<typeof storedList>;

/** Without expired drafts. Empty if the stored text is malformed. */
function readList(key: string): StoredList {
  try {
    const list = storedList.parse(JSON.parse(localStore.get(key) ?? '[]'));
    return list.filter(({ savedAt }) => Date.now() - savedAt <= draftLifetimeMs);
  } catch {
    return [];
  }
}

function writeList(key: string, list: StoredList): void {
  localStore.set(key, list.length === 0 ? null : JSON.stringify(list));
}

/** Deletes expired drafts of any kind and account. An effect: a render only reads. */
export function dropExpiredDrafts(): void {
  for (const key of localStore.keys()) if (key.startsWith(draftPrefix)) writeList(key, readList(key));
}

type Shape = Readonly<Record<string, z.ZodMiniType>>;
type Fields<S extends Shape> = { readonly [Name in keyof S]?: Readonly<z.input<S[Name]>> };

/** What zod reports for a value of another type. Its other issues are about a value of the right type. */
const typeIssues = new Set<string>(['invalid_type', 'invalid_value', 'invalid_union']);

/**
 * The fields that have the type of their schema. They may break its other rules, because a draft is unfinished: a title
 * may be empty or too long.
 */
function readFields<S extends Shape>(shape: S, draft: unknown): Fields<S> {
  if (!isRecord(draft)) return {};
  const isOfType = ([name, schema]: readonly [string, z.ZodMiniType]) =>
    Object.hasOwn(draft, name) &&
    !schema.safeParse(draft[name]).error?.issues.some(({ code }) => typeIssues.has(code));
  const kept = Object.entries(shape).filter(isOfType);
  return Object.fromEntries(kept.map(([name]) => [name, draft[name]])) as Fields<S>;
}

const isFilled = (value: unknown) =>
  value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);

type Loose<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

export interface Drafts<T> {
  /** Only the fields that were stored with the type of the schema, and only if it has not expired. */
  readonly read: (accountId: string, id?: string) => T | undefined;
  /** Called on every key press, so that nothing is lost when the page is closed. An empty draft is removed. */
  readonly save: (accountId: string, draft: Loose<T>, id?: string) => void;
  /** Until the returned function is called. */
  readonly onChangeInOtherTab: (accountId: string, onChange: () => void) => () => void;
}

/** All kinds of stored drafts, for the test that nothing is left after log-out. */
export const allDrafts = new Set<Drafts<object>>();

/**
 * Drafts of one kind, stored on this device until they are sent. Bound to the account: after an expired session they are
 * still there for the same account. session.ts deletes them at log-out, and when another account signs in. A draft names
 * what it is about by a hash together with the account's id, which is deleted with the session: the next person on a
 * shared phone cannot tell what was read. A draft that must not be stored at all is in a `createSessionMap`.
 */
export function createDraft<S extends z.core.$ZodLooseShape>(
  kind: string,
  { shape }: z.ZodMiniObject<S>,
  max = 1,
): Drafts<Fields<S>> {
  const hash = (accountId: string, id: string) => shortHash(`${accountId} ${id}`);
  const drafts: Drafts<Fields<S>> = {
    read(accountId, id = '') {
      const of = hash(accountId, id);
      const found = readList(draftKey(accountId, kind)).find((one) => one.of === of);
      return found && readFields(shape, found.draft);
    },
    save(accountId, draft, id = '') {
      const key = draftKey(accountId, kind);
      const of = hash(accountId, id);
      const others = readList(key).filter((one) => one.of !== of);
      const own = Object.values(draft).some(isFilled) ? [{ of, savedAt: Date.now(), draft }] : [];
      writeList(key, [...own, ...others].slice(0, max));
    },
    onChangeInOtherTab(accountId, onChange) {
      const onStorage = ({ key }: StorageEvent) => {
        if (key === draftKey(accountId, kind)) onChange();
      };
      window.addEventListener('storage', onStorage);
      return () => window.removeEventListener('storage', onStorage);
    },
  };
  allDrafts.add(drafts);
  return drafts;
}
