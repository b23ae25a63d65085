import type { IdentityBase } from '../../kernel/base.ts';
import { firstNoticeVersion, noticeVersion } from '@unsaid/contract';
import { today } from '../../platform/clock.ts';
import type { IdentityDb } from '../../platform/db.ts';
import * as queries from './agreements.queries.ts';

/** Which version of the privacy notice a person agreed to, and on which day. */
export interface AgreementsService {
  /** With a new account: the sign-up page says that continuing is agreeing. */
  recordSignUp(tx: IdentityDb, userId: bigint): Promise<void>;
  agree(userId: bigint, version: number): Promise<void>;
  /** The newest version that the person agreed to. */
  version(userId: bigint): Promise<number>;
}

type AgreementsDeps = Pick<IdentityBase, 'db' | 'clock'>;

export function createAgreementsService({ db, clock }: AgreementsDeps): AgreementsService {
  return {
    recordSignUp: (tx, userId) =>
      queries.insertAgreement(tx, userId, { version: noticeVersion, agreedOn: today(clock) }),
    agree: (userId, version) => queries.insertAgreement(db, userId, { version, agreedOn: today(clock) }),
    async version(userId) {
      const agreements = await queries.listAgreements(db, userId);
      // No row: an account from before versions were stored. Its sign-up page said the same.
      return agreements.at(-1)?.version ?? firstNoticeVersion;
    },
  };
}
