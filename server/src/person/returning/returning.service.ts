import type { AccountsService, Browser, SignedIn } from '../../identity/accounts/accounts.service.ts';
import type { RecoveryService } from '../../identity/recovery/recovery.service.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import type { PrivacyService } from '../export-and-erasure/privacy.service.ts';

/** Recovering an account and the end of forgotten ones: both erase an account in all schemas. */
export interface ReturningService {
  /** Opens the account of the code under the viewer's number. The viewer's current account is erased. */
  recoverAccount(viewer: Viewer, code: string, browser: Browser): Promise<SignedIn>;
  /** Nightly. */
  purgeForgotten(): Promise<void>;
}

interface ReturningDeps {
  readonly accounts: AccountsService;
  readonly recovery: RecoveryService;
  readonly privacy: PrivacyService;
}

export function createReturningService({ accounts, recovery, privacy }: ReturningDeps): ReturningService {
  return {
    async recoverAccount(viewer, code, browser) {
      const userId = await recovery.moveNumber(viewer, code);
      await privacy.erase(viewer);
      return accounts.signInAfterTransfer(viewer.userId, userId, browser);
    },

    async purgeForgotten() {
      for await (const subject of recovery.listForgotten()) await privacy.erase(subject);
    },
  };
}
