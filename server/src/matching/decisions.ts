import type { MatchingBase } from '../kernel/base.ts';
import { today } from '../platform/clock.ts';
import { transaction, type MatchingDb } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import type { Viewer } from '../kernel/viewer.ts';
import type { PairKeys } from './pair-keys.ts';
import type { FindsPeople } from './ports.ts';
import * as queries from './matches.queries.ts';
import { decide, type Decision } from './matches.state.ts';
import type { PairCipher, PairDetails } from './pair-details.ts';
import type { PairReader } from './pairs.ts';
import { applyAnswer, endPair, isExpired, isLive, type PairView } from './pair-view.ts';

/** Accepting, rejecting, taking back a yes, and ending two yeses. */
export interface DecisionsService {
  decide(viewer: Viewer, sealedId: string, decision: Decision): Promise<void>;
  /** Ends an open or mutual pair with this account. The other person sees what they would see after a no. Idempotent. */
  end(viewer: Viewer, otherId: bigint): Promise<void>;
}

interface DecisionsDeps extends Pick<MatchingBase, 'db' | 'clock' | 'publicIds'> {
  readonly pairKeys: PairKeys;
  readonly cipher: PairCipher;
  readonly pairs: PairReader;
  readonly people: FindsPeople;
}

export function createDecisionsService(deps: DecisionsDeps): DecisionsService {
  const { db, clock, publicIds, pairKeys, cipher, pairs, people } = deps;

  async function lockOwn(tx: MatchingDb, id: bigint, { userId }: Viewer): Promise<PairView | null> {
    const row = await queries.lockPair(tx, id);
    return row ? pairs.view(row, userId) : null;
  }

  async function save(tx: MatchingDb, { row }: PairView, details: PairDetails): Promise<void> {
    await queries.updateDetails(tx, row.id, cipher.seal(details, row));
  }

  /** The name that an answer keeps. Read before the transaction: it is of another schema, and needs a connection of its own. */
  const nameOf = async (otherId: bigint) => (await people.names([otherId])).get(otherId) ?? null;

  /** What is stored with an answer of today. */
  const answerOf = async (tx: MatchingDb, pair: PairView, seen: Awaited<ReturnType<typeof nameOf>>) => ({
    today: today(clock),
    order: await pairs.nextSequence(tx, pair),
    seen,
  });

  /** Of a rewritten row the second read finds it. A pair of others is read twice, too. */
  async function findOwn(id: bigint, { userId }: Viewer): Promise<PairView | null> {
    const find = async () => {
      const row = await queries.findPair(db, id);
      return row ? pairs.view(row, userId) : null;
    };
    return (await find()) ?? find();
  }

  return {
    async decide(viewer, sealedId, decision) {
      const id = publicIds.match.decode(sealedId) ?? -1n;
      const found = await findOwn(id, viewer);
      // The two people of a pair never change.
      const seen = await nameOf(found?.otherId ?? -1n);
      await transaction(db, async (tx) => {
        // A concurrent rewrite deletes and reinserts the row: the second read finds it. A pair of others is read twice, too.
        const pair = (await lockOwn(tx, id, viewer)) ?? (await lockOwn(tx, id, viewer));
        if (!pair || isExpired(pair.details, today(clock))) throw new AppError('MATCH_NOT_FOUND');
        const transition = decide(pair.state, decision);
        if (transition === 'too_late') throw new AppError('MATCH_CLOSED');
        if (transition === 'repeat' || transition === 'none') return;
        const answered = await answerOf(tx, pair, seen);
        await save(
          tx,
          pair,
          decision === 'part' ? endPair(pair, answered) : applyAnswer(pair, transition, answered),
        );
      });
    },

    async end(viewer, otherId) {
      const seen = await nameOf(otherId);
      await transaction(db, async (tx) => {
        // The locks of a search: one that did not see that this person is hidden has made its pair before.
        await queries.lockPeople(tx, [viewer.userId, otherId].map(pairKeys.lockOf));
        await queries.lockRewrite(tx, 'delete');
        const all = await pairs.listAll(tx, viewer.userId);
        const found = all.find((one) => one.otherId === otherId);
        const pair = found && (await lockOwn(tx, found.row.id, viewer));
        if (pair && isLive(pair)) await save(tx, pair, endPair(pair, await answerOf(tx, pair, seen)));
      });
    },
  };
}
