import type { LeavingSpan } from '@unsaid/contract';
import type { SessionsService } from '../auth/sessions/sessions.service.ts';
import { defaultSpan } from '../leaving/leaving.spans.ts';
import { AppError } from '../platform/errors.ts';
import type { Viewer } from '../auth/viewer.ts';
import type { PrivacyPart, PrivacySubject } from './privacy.registry.ts';

export interface PrivacyService {
  exportAll(viewer: Viewer): Promise<Record<string, unknown>>;
  eraseAccount(viewer: Viewer, removeWords: LeavingSpan): Promise<void>;
  /** Erasure by the system: no reauth, default span. */
  erase(subject: PrivacySubject): Promise<void>;
}

/** Parts are erased in the given order. The account comes last, so that a failed erasure can be retried. */
export function createPrivacyService(
  parts: readonly PrivacyPart[],
  sessions: SessionsService,
): PrivacyService {
  async function erase(subject: PrivacySubject, removeWords: LeavingSpan): Promise<void> {
    for (const part of parts) await part.erase(subject, removeWords);
  }

  async function requireReauth(viewer: Viewer): Promise<void> {
    if (!(await sessions.isReauthenticated(viewer))) throw new AppError('REAUTH_REQUIRED');
  }

  return {
    erase: (subject) => erase(subject, defaultSpan),
    async exportAll(viewer) {
      // Needs a reauth: the export contains anonymous comments, which no screen lists together.
      await requireReauth(viewer);
      const exported = await Promise.all(
        parts.map(async (part) => [part.feature, await part.export(viewer)] as const),
      );
      return Object.fromEntries(exported);
    },
    async eraseAccount(viewer, removeWords) {
      await requireReauth(viewer);
      await erase(viewer, removeWords);
    },
  };
}
