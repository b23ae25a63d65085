import { createReport, type PolicyName, type ReportReasonCode, type ReportSubject } from '@unsaid/contract';
import {
  decideCase,
  getCase,
  resolveAppeal,
  revealPart,
  takeCase,
  type CaseView,
} from '@unsaid/contract/moderation/console';
import type { RequestOf } from '@unsaid/contract';
import { expect } from 'vitest';
import { createCaseBox, type NoticeTerms } from '../src/moderation/case-box.ts';
import { changeCase } from '../src/moderation/cases/case-changes.ts';
import { lockCase } from '../src/moderation/cases/cases.queries.ts';
import { applyPendingEffect } from '../src/moderation/cases/effects.ts';
import { appealDueAt } from '../src/moderation/cases/cases.state.ts';
import { inTransaction } from '../src/platform/db.ts';
import type { Actor, TestApp } from './app.ts';
import type { SignedInModerator } from './authenticator.ts';
import { makeUser } from './factories.ts';

/** Reports an item as a new person, and returns the id of its case. */
export async function reportItem(
  app: TestApp,
  about: ReportSubject,
  reason: ReportReasonCode = 'harassment',
  { details, as }: { readonly details?: string; readonly as?: Actor } = {},
): Promise<string> {
  const answer = await app.call(createReport, {
    as: as ?? (await makeUser(app)),
    body: { about, reason, ...(details ? { details } : {}) },
  });
  expect(answer.status, answer.text).toBe(201);
  const row = await app.deps.databases.moderation
    .selectFrom('moderation.cases')
    .select('id')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  return String(row.id);
}

export const rowOf = (app: TestApp, caseId: string) =>
  app.deps.databases.moderation
    .selectFrom('moderation.cases')
    .selectAll()
    .where('id', '=', BigInt(caseId))
    .executeTakeFirstOrThrow();

export const auditOf = async (app: TestApp, caseId: string) =>
  (
    await app.deps.databases.moderation
      .selectFrom('moderation.audit')
      .select(['actor', 'action', 'detail'])
      .where('caseId', '=', BigInt(caseId))
      .orderBy('seq')
      .execute()
  ).map((entry) => ({ ...entry, detail: entry.detail as Record<string, unknown> }));

/** As a dump shows it. */
export const noticeRowOf = (app: TestApp, caseId: string) =>
  app.deps.databases.moderation
    .selectFrom('moderation.notices')
    .selectAll()
    .where('caseId', '=', BigInt(caseId))
    .executeTakeFirst();

/** With its encrypted part. */
export async function noticeOf(app: TestApp, caseId: string) {
  const row = await noticeRowOf(app, caseId);
  const terms = row && createCaseBox(app.deps.keys).open('notice', row.slotKey, row.sealed);
  return row && terms && { ...row, ...terms };
}

/** The encrypted part of every notice, by case. */
export async function readAllTerms(app: TestApp): Promise<ReadonlyMap<string, NoticeTerms>> {
  const notices = await app.deps.databases.moderation
    .selectFrom('moderation.notices')
    .select(['caseId', 'slotKey', 'sealed'])
    .execute();
  const box = createCaseBox(app.deps.keys);
  return new Map(
    notices.flatMap(({ caseId, slotKey, sealed }) => {
      const terms = box.open('notice', slotKey, sealed);
      return terms ? [[String(caseId), terms] as const] : [];
    }),
  );
}

export async function take(app: TestApp, as: SignedInModerator, id: string): Promise<CaseView> {
  const answer = await app.callMod(takeCase, { as, params: { id } });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.case;
}

type Decision = Omit<RequestOf<typeof decideCase>['body'], 'version'>;

/** Takes the case and decides it. */
export async function decide(
  app: TestApp,
  as: SignedInModerator,
  id: string,
  { policy = 'harassment', ...body }: Omit<Decision, 'policy'> & { readonly policy?: PolicyName },
) {
  const { version } = await take(app, as, id);
  return app.callMod(decideCase, { as, params: { id }, body: { ...body, policy, version } });
}

export const readCase = async (app: TestApp, as: SignedInModerator, id: string): Promise<CaseView> => {
  const answer = await app.callMod(getCase, { as, params: { id } });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.case;
};

export const reveal = (
  app: TestApp,
  as: SignedInModerator,
  id: string,
  part: 'item' | 'context' | 'details' | 'appeal',
) => app.callMod(revealPart, { as, params: { id }, body: { part } });

/** As the service of notices does it. */
export async function appealCase(app: TestApp, id: string, text: string): Promise<boolean> {
  const box = createCaseBox(app.deps.keys);
  return inTransaction(app.features.moderation, async (ctx) => {
    const at = new Date(app.clock.now());
    const row = await lockCase(ctx.db, BigInt(id));
    if (!row) throw new Error('no case');
    const set = {
      sealedAppeal: box.seal('appeal', row.subjectKey, text),
      dueAt: new Date(appealDueAt(at.getTime())),
    };
    return !('refusal' in (await changeCase(ctx, row, { type: 'appeal' }, { at, set })));
  });
}

/** As a report that tips the scale does it. */
export async function pauseCase(app: TestApp, id: string): Promise<void> {
  await inTransaction(app.features.moderation, async (ctx) => {
    const row = await lockCase(ctx.db, BigInt(id));
    if (!row) throw new Error('no case');
    const change = await changeCase(ctx, row, { type: 'pause' }, { at: new Date(app.clock.now()) });
    expect(change).toHaveProperty('effects', ['hide_item']);
  });
  await applyPendingEffect(app.features.moderation, BigInt(id));
}

export async function resolve(
  app: TestApp,
  as: SignedInModerator,
  id: string,
  resolution: 'upheld' | 'overturned',
) {
  const { version } = await take(app, as, id);
  return app.callMod(resolveAppeal, { as, params: { id }, body: { version, resolution } });
}
