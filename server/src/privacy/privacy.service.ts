import type { LeavingSpan } from '@unsaid/contract';
import type { SessionsService } from '../auth/sessions.service.ts';
import { usualSpan } from '../leaving/leaving.spans.ts';
import { AppError } from '../platform/errors.ts';
import type { Viewer } from '../platform/http/bind.ts';
import type { PrivacyPart, PrivacySubject } from './privacy.registry.ts';

export interface PrivacyService {
  exportAll(viewer: Viewer): Promise<Record<string, unknown>>;
  eraseAccount(viewer: Viewer, removeWords: LeavingSpan): Promise<void>;
  /** The same where nobody is there to prove or to choose anything. */
  erase(subject: PrivacySubject): Promise<void>;
}

/** Parts are erased in the order given: the account itself comes last, so that a failure can be tried again. */
export function createPrivacyService(
  parts: readonly PrivacyPart[],
  sessions: SessionsService,
): PrivacyService {
  async function erase(subject: PrivacySubject, removeWords: LeavingSpan): Promise<void> {
    for (const part of parts) await part.erase(subject, removeWords);
  }

  async function refuseWithoutFreshCode(viewer: Viewer): Promise<void> {
    if (!(await sessions.isReauthenticated(viewer))) throw new AppError('REAUTH_REQUIRED');
  }

  return {
    erase: (subject) => erase(subject, usualSpan),
    async exportAll(viewer) {
      // It holds what no screen shows: all that was written as Anonymous. An open session is not enough for that.
      await refuseWithoutFreshCode(viewer);
      const exported = await Promise.all(
        parts.map(async (part) => [part.feature, await part.export(viewer)] as const),
      );
      return Object.fromEntries(exported);
    },
    async eraseAccount(viewer, removeWords) {
      await refuseWithoutFreshCode(viewer);
      await erase(viewer, removeWords);
    },
  };
}
