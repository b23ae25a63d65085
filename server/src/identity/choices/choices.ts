import type { IdentityBase } from '../../kernel/base.ts';
import { createBatcher } from '../../platform/batch.ts';
import { transaction } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import type { LocalCache } from '../../platform/local-cache.ts';
import type { ChoicesBox } from './choices-box.ts';
import { accountKey, isEmpty, noChoices, type Choices } from '../../kernel/choices.ts';
import type { KnownPerson } from '../../kernel/people.ts';
import { findSealed } from './choices.hot.queries.ts';
import * as queries from './choices.queries.ts';
import { createHiding, type Hiding } from '../../kernel/hiding.ts';

/** One encrypted row for each person with choices. */
export interface ChoicesStore {
  find(userId: bigint): Promise<Choices>;
  /** Null for people without choices, who are most. Cached. */
  findHiding(userId: bigint): Promise<Hiding | null>;
  /** Of these people, those whom this one hides and those who hide this one: read from the choices of both sides. */
  findHidden(me: KnownPerson, others: readonly KnownPerson[]): Promise<ReadonlySet<bigint>>;
  /** Changes of one person wait for each other. */
  update(userId: bigint, change: (choices: Choices) => Choices): Promise<void>;
}

/** An object, because a cache does not keep null. */
export interface CachedHiding {
  readonly hiding: Hiding | null;
}

interface ChoicesStoreDeps extends Pick<IdentityBase, 'db'> {
  readonly box: ChoicesBox;
  readonly cache: LocalCache<CachedHiding>;
}

export function createChoicesStore({ db, box, cache }: ChoicesStoreDeps): ChoicesStore {
  /** Batches concurrent readers into one statement. */
  const findInBatch = createBatcher(async (userIds: readonly bigint[]) => {
    const rows = await findSealed(db, userIds);
    const byUser = new Map(rows.map(({ userId, sealed }) => [userId, sealed]));
    return userIds.map((userId) => byUser.get(userId));
  });

  async function load(userId: bigint): Promise<Choices> {
    const sealed = await findInBatch(userId);
    return sealed ? box.open(userId, sealed) : noChoices;
  }

  async function loadHiding(userId: bigint): Promise<CachedHiding> {
    const choices = await load(userId);
    return { hiding: choices === noChoices ? null : createHiding(choices) };
  }

  return {
    find: load,

    findHiding: async (userId) => (await cache.getOrLoad(String(userId), () => loadHiding(userId))).hiding,

    async findHidden(me, others) {
      const [mine, ...theirs] = await Promise.all([me, ...others].map(({ userId }) => load(userId)));
      const isHiddenIn = (choices: Choices | undefined, { person }: KnownPerson) =>
        choices?.names.some(({ account }) => account === accountKey(person.speakerId));
      const found = others.filter((other, n) => isHiddenIn(mine, other) || isHiddenIn(theirs[n], me));
      return new Set(found.map(({ userId }) => userId));
    },

    update: (userId, change) =>
      transaction(db, async (tx, afterCommit) => {
        // Race: the account was deleted after the session check.
        if (!(await queries.lockOwner(tx, userId))) throw new AppError('UNAUTHENTICATED');
        const [row] = await findSealed(tx, [userId]);
        const before = row ? box.open(userId, row.sealed) : noChoices;
        const after = change(before);
        if (after === before) return;
        if (isEmpty(after)) await queries.deleteChoices(tx, userId);
        else await queries.saveSealed(tx, userId, box.seal(userId, after));
        afterCommit(() => cache.invalidateAll());
      }),
  };
}
