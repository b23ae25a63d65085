import { randomBytes } from 'node:crypto';
import type { PolicyName, Sanction, SubjectKind } from '@unsaid/contract';
import { createCaseBox } from '../src/moderation/case-box.ts';
import { writeNotice } from '../src/moderation/notices/notice-writer.ts';
import { today } from '../src/platform/clock.ts';
import type { Person as PersonKeys } from '../src/pseudonyms/person-keys.ts';
import type { TestApp } from './app.ts';

const day = 24 * 3_600_000;

interface Decision {
  readonly kind?: 'care' | 'hide' | 'remove';
  readonly about?: SubjectKind;
  readonly subjectKey?: Buffer;
  readonly policy?: PolicyName;
  readonly excerpt?: string | null;
  readonly points?: number;
  readonly sanction?: Sanction;
  readonly startsAt?: Date;
  readonly endsAt?: Date;
}

export interface MadeDecision {
  readonly caseId: bigint;
  readonly subjectKey: Buffer;
  readonly moderatorId: number;
}

export async function makeModerator(app: TestApp): Promise<number> {
  const { id } = await app.deps.db.moderation
    .insertInto('moderation.moderators')
    .values({ alias: `m-${randomBytes(6).toString('hex')}`, role: 'lead' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** A decided case with a notice to its author, in the rows that a decision of a moderator writes. */
export async function makeDecision(
  app: TestApp,
  author: PersonKeys,
  {
    kind = 'remove',
    about = 'vent',
    subjectKey = randomBytes(16),
    policy = 'harassment',
    excerpt = null,
    points = kind === 'care' ? 0 : 2,
    sanction = 'none',
    startsAt,
    endsAt,
  }: Decision = {},
): Promise<MadeDecision> {
  const now = new Date(app.clock.now());
  const db = app.deps.db.moderation;
  const moderatorId = await makeModerator(app);
  const snapshot = { paragraphs: [{ label: 'text', text: 'What was reported' }], excerpt };
  const { id: caseId } = await db
    .insertInto('moderation.cases')
    .values({
      subjectKey,
      subjectKind: about,
      source: 'staff',
      policy,
      severity: 3,
      language: 'en',
      openedAt: now,
      dueAt: now,
      outcome: kind,
      decidedBy: moderatorId,
      decidedAt: now,
      sealedItem: createCaseBox(app.deps.keys).seal('item', subjectKey, snapshot),
      ...(kind === 'care'
        ? { state: 'closed', purgeAt: new Date(now.getTime() + 180 * day) }
        : { state: 'decided', appealUntil: new Date(now.getTime() + 30 * day) }),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const isSanction = sanction !== 'none';
  const ends = isSanction ? (endsAt ?? new Date(now.getTime() + 7 * day)) : null;
  const notice = {
    caseId,
    kind,
    policy,
    policyVersion: 1,
    points,
    sanction,
    startsAt: isSanction ? (startsAt ?? now) : null,
    endsAt: ends,
    madeOn: today(app.clock),
    expiresAt: new Date(Math.max(ends?.getTime() ?? 0, now.getTime() + 180 * day)),
  };
  await writeNotice(db, author, notice, now);
  await app.features.standing.invalidate(author);
  return { caseId, subjectKey, moderatorId };
}
