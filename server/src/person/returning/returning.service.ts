import type { Browser, Identity, SignedIn } from '../../identity/index.ts';
import type { PrivacySubject } from '../../kernel/privacy-registry.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import { rowsOf, type JobRows } from '../../platform/job.ts';
import type { PrivacyService } from '../export-and-erasure/privacy.service.ts';

/** Recovering an account and the end of forgotten ones: both erase an account in all schemas. */
export interface ReturningService {
  /** Opens the account of the code under the viewer's number. The viewer's current account is erased. */
  recoverAccount(viewer: Viewer, code: string, browser: Browser): Promise<SignedIn>;
  /** Nightly. */
  purgeForgotten(rows: JobRows): Promise<void>;
}

interface ReturningDeps {
  readonly accounts: Identity['accounts'];
  readonly recovery: Identity['recovery'];
  readonly privacy: PrivacyService;
}

const forgotten = rowsOf('identity', 'forgotten accounts', ({ userId }: PrivacySubject) => userId);

export function createReturningService({ accounts, recovery, privacy }: ReturningDeps): ReturningService {
  return {
    async recoverAccount(viewer, code, browser) {
      const userId = await recovery.moveNumber(viewer, code);
      await privacy.erase(viewer);
      return accounts.signInAfterTransfer(viewer.userId, userId, browser);
    },

    async purgeForgotten(rows) {
      for await (const subjects of recovery.listForgotten())
        await rows.each(subjects, forgotten, privacy.erase);
    },
  };
}
