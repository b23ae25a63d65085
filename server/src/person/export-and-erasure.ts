import type { LeavingSpan } from '@unsaid/contract';
import type { Browser } from '../identity/index.ts';
import { defaultSpan } from '../kernel/leaving-spans.ts';
import { erasureOrder, type PrivacySubject } from '../kernel/privacy-registry.ts';
import type { Viewer } from '../kernel/viewer.ts';
import { AppError } from '../platform/errors.ts';
import { rowsOf, type JobRows } from '../platform/job.ts';
import type { PersonContext } from './context.ts';

export async function exportAccount(ctx: PersonContext, viewer: Viewer): Promise<Record<string, unknown>> {
  // Needs a reauth: the export contains anonymous comments, which no screen lists together.
  await requireReauth(ctx, viewer);
  const exported = await Promise.all(
    ctx.parts.map(async (part) => [part.feature, await part.export(viewer)] as const),
  );
  return Object.fromEntries(exported);
}

export async function eraseAccount(
  ctx: PersonContext,
  viewer: Viewer,
  removeWords: LeavingSpan,
): Promise<void> {
  await requireReauth(ctx, viewer);
  await erasePerson(ctx, viewer, removeWords);
}

/** Opens the account of the code under the viewer's number. The viewer's current account is erased. */
export async function openRecovered(ctx: PersonContext, viewer: Viewer, code: string, browser: Browser) {
  const { accounts, recovery } = ctx.identity;
  const userId = await recovery.moveNumber(viewer, code);
  await erasePerson(ctx, viewer);
  return accounts.signInAfterTransfer(viewer.userId, userId, browser);
}

const forgotten = rowsOf('identity', 'forgotten accounts', ({ userId }: PrivacySubject) => userId);

/** Nightly. */
export async function purgeForgotten(ctx: PersonContext, rows: JobRows): Promise<void> {
  for await (const subjects of ctx.identity.recovery.listForgotten())
    await rows.each(subjects, forgotten, (subject) => erasePerson(ctx, subject));
}

/** In all schemas. */
async function erasePerson(
  { content, parts }: PersonContext,
  subject: PrivacySubject,
  removeWords: LeavingSpan = defaultSpan,
): Promise<void> {
  const isNameShown = () => content.authoredComments.hasNamedComment(subject.person);
  for (const step of erasureOrder)
    for (const part of parts)
      if (part.erases === step) await part.erase(subject, { removeWords, isNameShown });
}

async function requireReauth({ identity }: PersonContext, viewer: Viewer): Promise<void> {
  if (!(await identity.sessions.isReauthenticated(viewer))) throw new AppError('REAUTH_REQUIRED');
}
