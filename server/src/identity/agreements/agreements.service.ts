import type { IdentityBase } from '../../kernel/base.ts';
import { today } from '../../platform/clock.ts';
import { transaction } from '../../platform/db.ts';
import { changeFacts, requireFacts } from '../facts/account-facts.queries.ts';

/** Which version of the privacy notice a person agreed to, and on which day. */
export interface AgreementsService {
  agree(userId: bigint, version: number): Promise<void>;
  /** The newest version that the person agreed to. */
  version(userId: bigint): Promise<number>;
}

type AgreementsDeps = Pick<IdentityBase, 'db' | 'clock' | 'seals'>;

export function createAgreementsService({ db, clock, seals }: AgreementsDeps): AgreementsService {
  const find = async (userId: bigint) => (await requireFacts(db, seals, userId)).agreement;
  return {
    async agree(userId, version) {
      // Agreeing again keeps the first day.
      if ((await find(userId)).version >= version) return;
      const agreement = { version, agreedOn: today(clock) };
      await transaction(db, (tx) => changeFacts(tx, seals, userId, { agreement }));
    },
    version: async (userId) => (await find(userId)).version,
  };
}
