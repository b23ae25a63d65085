import { randomBytes, randomInt } from 'node:crypto';
import type { PolicyName, Sanction, SubjectKind } from '@unsaid/contract';
import { appealDays } from '@unsaid/contract/moderation/policies';
import { createCaseBox } from '../src/moderation/case-box.ts';
import { writeNotice } from '../src/moderation/notices/notice-slots.ts';
import { createSubjects } from '../src/kernel/subjects.ts';
import { today } from '../src/platform/clock.ts';
import type { Person as PersonKeys } from '../src/kernel/person-keys.ts';
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
  const { id } = await app.deps.databases.moderation
    .insertInto('moderation.moderators')
    .values({ alias: `m-${randomBytes(6).toString('hex')}`, role: 'lead' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** The key of an item that does not exist. */
function anySubject(app: TestApp, kind: SubjectKind): Buffer {
  const id = BigInt(randomInt(2 ** 40, 2 ** 41));
  const subjects = createSubjects(app.deps.keys);
  if (kind === 'profile') return subjects.keyOf({ kind, userId: id });
  return subjects.keyOf(kind === 'vent' ? { kind, ventId: id } : { kind, ventId: id, no: 1 });
}

/** A decided case with a notice to its author, in the rows that a decision of a moderator writes. */
export async function makeDecision(
  app: TestApp,
  author: PersonKeys,
  {
    kind = 'remove',
    about = 'vent',
    subjectKey = anySubject(app, about),
    policy = 'harassment',
    excerpt = null,
    points = kind === 'care' ? 0 : 2,
    sanction = 'none',
    startsAt,
    endsAt,
  }: Decision = {},
): Promise<MadeDecision> {
  const now = new Date(app.clock.now());
  const db = app.deps.databases.moderation;
  const box = createCaseBox(app.deps.keys);
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
      sealedItem: box.seal('item', subjectKey, snapshot),
      sealedAuthor: box.seal('author', subjectKey, author.speakerId.toString('base64url')),
      ...(kind === 'care'
        ? { state: 'closed', purgeAt: new Date(now.getTime() + 180 * day) }
        : { state: 'decided', appealUntil: new Date(now.getTime() + appealDays * day) }),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const isSanction = sanction !== 'none';
  const ends = isSanction ? (endsAt?.getTime() ?? now.getTime() + 7 * day) : null;
  const notice = {
    caseId,
    kind,
    policy,
    policyVersion: 1,
    madeOn: today(app.clock),
    expiresAt: new Date(Math.max(ends ?? 0, now.getTime() + 180 * day)),
  };
  const terms = {
    points,
    sanction,
    startsAt: isSanction ? (startsAt ?? now).getTime() : null,
    endsAt: ends,
  };
  await writeNotice(app.features.moderation, author, { notice, terms }, now);
  await app.features.standing.invalidate(author);
  return { caseId, subjectKey, moderatorId };
}
