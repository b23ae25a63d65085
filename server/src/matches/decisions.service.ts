import { today, type Clock } from '../platform/clock.ts';
import { transaction, type Databases } from '../platform/db.ts';
import { AppError } from '../platform/errors.ts';
import type { Viewer } from '../auth/viewer.ts';
import type { PublicIds } from '../pseudonyms/public-ids.ts';
import type { PairKeys } from './pair-keys.ts';
import type { ProfilesService } from '../profiles/profiles.service.ts';
import * as queries from './matches.queries.ts';
import { decide, type Decision } from './matches.state.ts';
import type { PairCipher } from './pair-details.ts';
import type { PairReader } from './pair-reader.service.ts';
import { applyAnswer, isExpired } from './pair-view.ts';

/** Accepting, rejecting and taking back a yes. */
export interface DecisionsService {
  decide(viewer: Viewer, sealedId: string, decision: Decision): Promise<void>;
}

interface DecisionsDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly publicIds: PublicIds;
  readonly pairKeys: PairKeys;
  readonly cipher: PairCipher;
  readonly pairs: PairReader;
  readonly profiles: ProfilesService;
}

export function createDecisionsService(deps: DecisionsDeps): DecisionsService {
  const { db, clock, publicIds, pairKeys, cipher, pairs, profiles } = deps;

  return {
    async decide(viewer, sealedId, decision) {
      const key = pairKeys.encode(viewer.userId);
      await transaction(db.matching, async (tx) => {
        const id = publicIds.match.decode(sealedId) ?? -1n;
        // A concurrent rewrite deletes and reinserts the row: the second read finds it.
        const row = (await queries.lockPair(tx, id, key)) ?? (await queries.lockPair(tx, id, key));
        const pair = row && pairs.view(row, key);
        if (!pair || isExpired(pair, today(clock))) throw new AppError('MATCH_NOT_FOUND');
        const transition = decide(pair.state, decision);
        if (transition === 'too_late') throw new AppError('MATCH_CLOSED');
        if (transition === 'repeat' || transition === 'none') return;
        const otherId = pairs.otherIn(pair);
        const [order, names] = await Promise.all([pairs.nextSequence(tx, pair), profiles.names([otherId])]);
        const { details, forgetOn } = applyAnswer(pair, transition, {
          today: today(clock),
          order,
          seen: names.get(otherId) ?? null,
        });
        const { aKey, bKey } = pair.row;
        await queries.updatePair(tx, pair.row.id, { details: cipher.seal(details, aKey, bKey), forgetOn });
      });
    },
  };
}
