import { createBatcher } from '../platform/batch.ts';
import { transaction, type Databases } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import type { LocalCache } from '../platform/local-cache.ts';
import type { ChoicesBox } from './choices-box.ts';
import { isEmpty, noChoices, type Choices } from './choices.model.ts';
import * as queries from './choices.queries.ts';
import { createHiding, type Hiding } from './hiding.ts';

/** One encrypted row for each person with choices. */
export interface ChoicesStore {
  find(userId: bigint): Promise<Choices>;
  /** Null for people without choices, who are most. Cached. */
  findHiding(userId: bigint): Promise<Hiding | null>;
  /** Changes of one person wait for each other. */
  update(userId: bigint, change: (choices: Choices) => Choices): Promise<void>;
}

/** An object, because a cache does not keep null. */
export interface CachedHiding {
  readonly hiding: Hiding | null;
}

interface ChoicesStoreDeps {
  readonly db: Databases;
  readonly box: ChoicesBox;
  readonly cache: LocalCache<CachedHiding>;
}

export function createChoicesStore({ db, box, cache }: ChoicesStoreDeps): ChoicesStore {
  /** Batches concurrent readers into one statement. */
  const findSealed = createBatcher(async (userIds: readonly bigint[]) => {
    const rows = await queries.findSealed(db.identity, userIds);
    const byUser = new Map(rows.map(({ userId, sealed }) => [userId, sealed]));
    return userIds.map((userId) => byUser.get(userId));
  });

  async function load(userId: bigint): Promise<Choices> {
    const sealed = await findSealed(userId);
    return sealed ? box.open(userId, sealed) : noChoices;
  }

  async function loadHiding(userId: bigint): Promise<CachedHiding> {
    const choices = await load(userId);
    return { hiding: choices === noChoices ? null : createHiding(choices) };
  }

  return {
    find: load,

    findHiding: async (userId) => (await cache.getOrLoad(String(userId), () => loadHiding(userId))).hiding,

    update: (userId, change) =>
      transaction(db.identity, async (tx, afterCommit) => {
        // Race: the account was deleted after the session check.
        if (!(await queries.lockOwner(tx, userId))) throw new AppError('UNAUTHENTICATED');
        const [row] = await queries.findSealed(tx, [userId]);
        const before = row ? box.open(userId, row.sealed) : noChoices;
        const after = change(before);
        if (after === before) return;
        if (isEmpty(after)) await queries.deleteChoices(tx, userId);
        else await queries.saveSealed(tx, userId, box.seal(userId, after));
        afterCommit(() => cache.invalidateAll());
      }),
  };
}
