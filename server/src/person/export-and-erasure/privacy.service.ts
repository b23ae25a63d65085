import type { LeavingSpan } from '@unsaid/contract';
import type { Identity } from '../../identity/index.ts';
import { defaultSpan } from '../../kernel/leaving-spans.ts';
import { AppError } from '../../platform/errors.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import type { AuthoredComments } from '../../content/comments/authored-comments.service.ts';
import { erasureOrder, type PrivacyPart, type PrivacySubject } from '../../kernel/privacy-registry.ts';

export interface PrivacyService {
  exportAll(viewer: Viewer): Promise<Record<string, unknown>>;
  eraseAccount(viewer: Viewer, removeWords: LeavingSpan): Promise<void>;
  /** Erasure by the system: no reauth, default span. */
  erase(subject: PrivacySubject): Promise<void>;
}

interface PrivacyDeps {
  readonly parts: readonly PrivacyPart[];
  readonly sessions: Identity['sessions'];
  readonly comments: Pick<AuthoredComments, 'hasNamedComment'>;
}

export function createPrivacyService({ parts, sessions, comments }: PrivacyDeps): PrivacyService {
  const inOrder = erasureOrder.flatMap((step) => parts.filter(({ erases }) => erases === step));

  async function erase(subject: PrivacySubject, removeWords: LeavingSpan): Promise<void> {
    const choice = { removeWords, isNameShown: () => comments.hasNamedComment(subject.person) };
    for (const part of inOrder) await part.erase(subject, choice);
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
