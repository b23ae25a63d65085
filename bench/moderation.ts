/**
 * npm run bench:moderation -- [--cases 10000] [--decisions 400]
 *
 * The moderation console with many open cases: the queue, and decisions with their effects. Calls go through the real
 * application of the console, without the network. Prints p50 and p95 beside the targets; fails where an effect is
 * missing, not where the machine is slow.
 */
import { loadavg } from 'node:os';
import { readOptions, stopAtUsage } from '../testkit/options.ts';
import type { Endpoint, ResponseOf } from '@unsaid/contract';
import {
  decideCase,
  extendLease,
  getCase,
  listCases,
  nextCase,
  revealPart,
} from '@unsaid/contract/moderation/console';
import { policies, policyOfReason } from '@unsaid/contract/moderation/policies';
import { readConfig } from '../server/src/config.ts';
import { buildDeps, type Deps } from '../server/src/deps.ts';
import { createCaseBox } from '../server/src/moderation/case-box.ts';
import { ventPlace } from '../server/src/kernel/speakers.ts';
import { createSubjects } from '../server/src/kernel/subjects.ts';
import { createSeededRandom } from '../server/seed/seeded-random.ts';
import { findServices } from '../tools/services.ts';
import { percentile } from './lib/client.ts';
import { openConsole } from './lib/console.ts';
import { markdownTable } from './lib/markdown-table.ts';
import { psql } from './lib/psql.ts';
import { grouped } from './lib/section.ts';
import { dropDatabase, seedDatabase, urlOf } from './lib/vent-databases.ts';

const { cases: caseCount, decisions: decisionCount } = readOptions({ cases: 10_000, decisions: 400 });
/** Not counted: caches of plans are cold. */
const warmUps = 20;
if (decisionCount <= warmUps || decisionCount > caseCount)
  stopAtUsage(`--decisions ${decisionCount}: more than ${warmUps} are wanted, and as many --cases`);
const targetMs: Record<string, number> = {
  'next case': 20,
  'list of cases': 20,
  'decision with its effects': 50,
};
const reasons = ['harassment', 'inappropriate', 'spam', 'private_info', 'other'] as const;
const hourMs = 3_600_000;
const database = `unsaid_bench_moderation_${process.pid}`;
const random = createSeededRandom(7);

/** An open case with three reports for each vent, as intake writes them. */
async function makeCases({ keys, speakers, databases: db, clock }: Deps): Promise<void> {
  const subjects = createSubjects(keys);
  const caseBox = createCaseBox(keys);
  const vents = await db.content
    .selectFrom('content.vents')
    .select(['id', 'speaker', 'title', 'body'])
    .limit(caseCount)
    .execute();
  for (let from = 0; from < vents.length; from += 250) {
    const rows = vents.slice(from, from + 250).map(({ id, speaker, title, body }) => {
      const subjectKey = subjects.keyOf({ kind: 'vent', ventId: id });
      const speakerId = speakers.open({ ...ventPlace(id), speaker }) as Buffer;
      const reason = random.pick(reasons);
      const { severity, dueHours } = policies[policyOfReason[reason]];
      const openedAt = clock.now() - random.below(72) * hourMs;
      const row = {
        subjectKey,
        subjectKind: 'vent',
        source: 'report',
        policy: policyOfReason[reason],
        severity,
        language: random.pick(['en', 'en', 'hi', 'hinglish', 'other']),
        sealedItem: caseBox.seal('item', subjectKey, {
          paragraphs: [
            { label: 'Title', text: title },
            { label: 'Vent', text: body },
          ],
          excerpt: title,
        }),
        sealedAuthor: caseBox.seal('author', subjectKey, speakerId.toString('base64url')),
        reporters: 3,
        openedAt: new Date(openedAt),
        dueAt: new Date(openedAt + dueHours * hourMs),
      };
      return { row, reason };
    });
    const made = await db.moderation
      .insertInto('moderation.cases')
      .values(rows.map(({ row }) => row))
      .returning('id')
      .execute();
    await db.moderation
      .insertInto('moderation.reports')
      .values(
        made.flatMap(({ id }, n) =>
          [1, 2, 3].map((reporter) => ({
            caseId: id,
            reporterKey: Buffer.alloc(16, `${reporter}${id}`),
            reason: rows[n]?.reason ?? 'other',
            weight: 1,
            isNewcomer: false,
            createdAt: new Date(clock.now()),
          })),
        ),
      )
      .execute();
  }
}

async function measure(): Promise<void> {
  const deps = await buildDeps(
    readConfig({
      ...findServices(),
      NODE_ENV: 'test',
      SERVICES: 'mod',
      DATABASE_URL: urlOf(database),
      REDIS_PREFIX: `${database}:`,
      LOG_LEVEL: 'warn',
      LIMITS_SCALE: '100000',
    }),
  );
  const moderator = await openConsole(deps);
  try {
    await makeCases(deps);
    psql(urlOf(database), 'vacuum analyze');
    const took: Record<string, number[]> = {};

    /** Without a label it is not counted. */
    async function call<E extends Endpoint>(
      label: string | null,
      ...made: Parameters<typeof moderator.call<E>>
    ): Promise<ResponseOf<E>> {
      const begunAt = performance.now();
      const response = await moderator.call(...made);
      if (label) (took[label] ??= []).push(performance.now() - begunAt);
      return response;
    }

    for (let n = 0; n < decisionCount; n += 1) {
      const name = (label: string) => (n < warmUps ? null : label);
      await call(name('list of cases'), listCases, { query: { page: String(1 + (n % 4)) } });
      const next = await call(name('next case'), nextCase);
      if (!next.case) throw new Error('no case waits');
      const params = { id: next.case.id };
      await call(name('one case'), getCase, { params });
      if (n % 4 === 0 && n < 600) await call(name('reveal'), revealPart, { params, body: { part: 'item' } });
      const extended = await call(name('extend the lease'), extendLease, { params });
      const body = {
        version: extended.case.version,
        ...(n % 4 === 3
          ? { outcome: 'keep' }
          : { outcome: 'remove', policy: 'harassment', sanction: 'limit', days: 3 }),
      };
      await call(name('decision with its effects'), decideCase, { params, body });
    }
    const removed = psql(urlOf(database), `select count(*) from content.vents where state = 'removed'`);
    const pending = psql(
      urlOf(database),
      'select count(*) from moderation.cases where pending_effect is not null',
    );
    const rows = Object.entries(took).map(([label, times]) => {
      const sorted = times.toSorted((a, b) => a - b);
      const [p50, p95] = [percentile(sorted, 0.5), percentile(sorted, 0.95)];
      const target = targetMs[label];
      return { label, p50, p95, target, isMet: target === undefined || p50 <= target };
    });
    console.log(
      markdownTable(
        ['call', 'p50 ms', 'p95 ms', 'target p50'],
        rows.map(({ label, p50, p95, target, isMet }) => [
          label,
          p50.toFixed(1),
          p95.toFixed(1),
          target === undefined ? '' : `${target} ms, ${isMet ? 'met' : 'missed'}`,
        ]),
      ),
    );
    console.log(
      `${grouped(caseCount)} cases at first; ${removed} vents removed, ${pending} effects pending; load ${loadavg()[0]?.toFixed(1)}`,
    );
    if (removed === '0' || pending !== '0') process.exitCode = 1;
  } finally {
    await moderator.close();
    await deps.close();
  }
}

seedDatabase(database, caseCount);
try {
  await measure();
} finally {
  dropDatabase(database);
}
