import { hash } from 'node:crypto';
import {
  getLedger,
  ledgerOutcomes,
  ledgerTimes,
  policyNames,
  reportReasonCodes,
  smallestCount,
  subjectKinds,
  type LedgerMonth,
} from '@unsaid/contract';
import { policies, policyOfReason } from '@unsaid/contract/moderation/policies';
import { expect, test } from 'vitest';
import { publishCount, publishParts } from '../src/moderation/ledger/suppression.ts';
import { ownTestApp, useTestApp, type TestApp } from './app.ts';
import { reportItem } from './cases-app.ts';
import { withClient } from './db.ts';
import { makeUser, makeVent } from './factories.ts';
import { seeded } from './statistics.ts';

const app = useTestApp();

interface Entry {
  readonly at: number;
  readonly action: string;
  readonly caseId?: number;
  readonly detail?: Record<string, unknown>;
}

const hour = 3_600_000;
const day = 24 * hour;
const toMonth = (ms: number) => new Date(ms + 5.5 * hour).toISOString().slice(0, 7);
const startOf = (month: string) => Date.parse(`${month}-01T00:00:00+05:30`);

/** Rows as they are written by reports, decisions and appeals, in the order of their time. */
async function write(own: TestApp, entries: readonly Entry[]): Promise<void> {
  await withClient(own.config.databaseUrl, async (client) => {
    for (const { at, action, caseId, detail = {} } of entries.toSorted((a, b) => a.at - b.at)) {
      await client.query(
        'insert into moderation.audit (at, actor, action, case_id, detail) values ($1, $2, $3, $4, $5)',
        [new Date(at), 'secret-alias', action, caseId ?? null, detail],
      );
    }
  });
}

/** A busy month, with cases that last into the next one. */
function makeHistory(month: string, cases: number, firstCase: number, seed: number): Entry[] {
  const random = seeded(seed);
  const entries: Entry[] = [];
  for (let n = 0; n < cases; n++) {
    const caseId = firstCase + n;
    const openedAt = startOf(month) + random.below(27 * day);
    const isOrder = random.next() < 0.2;
    const severity = 1 + random.below(4);
    const policy = random.pick(random.next() < 0.8 ? policyNames.slice(4, 9) : policyNames);
    entries.push({
      at: openedAt,
      action: 'opened',
      caseId,
      detail: { policy, severity, source: isOrder ? 'order' : 'report' },
    });
    for (let reports = random.below(4); reports > 0; reports--)
      entries.push({ at: openedAt + reports * 1000, action: 'reported', caseId, detail: { reason: 'spam' } });
    const decidedAt = openedAt + Math.floor(random.next() ** 3 * (isOrder ? 0.4 : 14) * day) + 5000;
    if (random.next() < 0.3) entries.push({ at: openedAt + 4500, action: 'paused', caseId });
    if (random.next() < 0.1) continue;
    const outcome = random.pick(random.next() < 0.9 ? (['keep', 'remove', 'hide'] as const) : ledgerOutcomes);
    entries.push({
      at: decidedAt,
      action: 'decided',
      caseId,
      detail: { outcome, policy, severity, sanction: 'none' },
    });
    if (outcome !== 'hide' && outcome !== 'remove') continue;
    if (random.next() < 0.1) entries.push({ at: decidedAt + hour, action: 'reversed', caseId });
    else if (random.next() < 0.6) {
      const resolution = random.pick(['upheld', 'overturned']);
      entries.push({ at: decidedAt + hour, action: 'appealed', caseId });
      entries.push({ at: decidedAt + day, action: 'resolved', caseId, detail: { resolution } });
    }
  }
  return entries;
}

/** The same figures, counted from the rows and not by SQL. */
function recount(all: readonly Entry[], month: string): LedgerMonth {
  const of = (action: string) => all.filter((one) => one.action === action && toMonth(one.at) === month);
  const decided = of('decided');
  const hoursOf = ({ at, caseId }: Entry) =>
    (at - (all.find((one) => one.action === 'opened' && one.caseId === caseId)?.at ?? 0)) / hour;
  const timeOf = (one: Entry) =>
    hoursOf(one) > 7 * 24 ? 'longer' : hoursOf(one) > 36 ? '7 days' : '36 hours';
  const sizes = <N extends string>(names: readonly N[], nameOf: (one: Entry) => unknown) =>
    publishParts(
      names,
      new Map(names.map((name) => [name, decided.filter((one) => nameOf(one) === name).length])),
    );
  const rules = sizes(policyNames, ({ detail }) => detail?.['policy']);
  const outcomes = sizes(ledgerOutcomes, ({ detail }) => detail?.['outcome']);
  const times = sizes(ledgerTimes, timeOf);
  return {
    month,
    reports: publishCount(of('reported').length),
    decisions: {
      total: publishCount(decided.length),
      byRule: rules.shown.map(({ name, count }) => ({ rule: name, count })),
      otherRules: rules.rest,
      byOutcome: outcomes.shown.map(({ name, count }) => ({ outcome: name, count })),
      otherOutcomes: outcomes.rest,
      byTime: times.shown.map(({ name, count }) => ({ time: name, count })),
      otherTimes: times.rest,
    },
    pauses: publishCount(of('paused').length),
    appeals: publishCount(of('appealed').length),
    overturned: publishCount(
      of('resolved').filter(({ detail }) => detail?.['resolution'] === 'overturned').length,
    ),
    reversed: publishCount(of('reversed').length),
    orders: publishCount(of('opened').filter(({ detail }) => detail?.['source'] === 'order').length),
  };
}

const moveTo = (own: TestApp, time: string) => own.clock.advance(Date.parse(time) - own.clock.now());

test('a ledger without entries has no months', async () => {
  expect((await app.call(getLedger)).body).toEqual({ success: true, months: [], audit: null });
});

test('the figures of each month equal a recount of the rows, and an answer is kept for an hour', async () => {
  const own = await ownTestApp();
  moveTo(own, '2026-09-10T12:00:00Z');
  const history = [
    ...makeHistory('2026-06', 120, 1000, 7),
    ...makeHistory('2026-07', 400, 3000, 8),
    ...makeHistory('2026-08', 12, 5000, 9),
    // The running month.
    ...makeHistory('2026-09', 40, 7000, 10).filter((one) => one.at < Date.parse('2026-09-10T12:00:00Z')),
  ];
  await write(own, history);
  const response = await own.call(getLedger);
  expect(response.headers['cache-control']).toBe('public, max-age=3600');
  const { months, audit } = response.body;
  expect(months.map(({ month }) => month)).toEqual(['2026-08', '2026-07', '2026-06']);
  for (const month of months) expect(month).toEqual(recount(history, month.month));
  // The history has something to show in every figure.
  expect(JSON.stringify(months[1])).not.toContain('null');
  expect(months[1]?.decisions.byTime).toHaveLength(ledgerTimes.length);

  const { rows } = await withClient(own.config.databaseUrl, (client) =>
    client.query<{ hash: string }>(
      `select encode(hash, 'hex') as hash from moderation.audit
        where at < '2026-09-10T00:00:00+05:30' order by seq desc limit 1`,
    ),
  );
  expect(audit).toEqual({ hash: rows[0]?.hash });

  const words = response.text;
  for (const secret of ['secret-alias', 'caseId', 'case_id', 'actor']) expect(words).not.toContain(secret);
  // No number of a case, which could be compared with anything else.
  expect(words).not.toMatch(/\b(?:1[01]\d\d|3[0-3]\d\d|50[01]\d|70[0-3]\d)\b/u);

  // A late entry of July appears when the hour is over, the running month when it is.
  await write(own, [{ at: startOf('2026-07') + hour, action: 'reversed', caseId: 9999 }]);
  expect((await own.call(getLedger)).text).toBe(words);
  own.clock.advance(hour);
  const later = (await own.call(getLedger)).body.months;
  expect(later.find(({ month }) => month === '2026-07')?.reversed).toBe((months[1]?.reversed ?? 0) + 1);
  moveTo(own, '2026-09-30T18:29:00Z');
  expect((await own.call(getLedger)).body.months[0]?.month).toBe('2026-08');
  own.clock.advance(hour);
  expect((await own.call(getLedger)).body.months[0]).toEqual(recount(history, '2026-09'));
});

/**
 * What an anonymous reader of the page tries: a quiet day had one report that opened a case. Its minute, kind, reason and
 * case number are a few hundred thousand possibilities, and each gives a fingerprint.
 */
function openQuietDay(before: string, after: string, { from, cases }: { from: number; cases: number }) {
  const link = (prev: Buffer, entry: string) =>
    hash('sha256', Buffer.concat([prev, Buffer.from(entry)]), 'buffer');
  const start = Buffer.from(before, 'hex');
  for (let minute = 0; minute < 1440; minute++)
    for (let caseId = 1; caseId <= cases; caseId++)
      for (const kind of subjectKinds)
        for (const reason of reportReasonCodes) {
          const at = `${from / 1000 + minute * 60}.000000`;
          const policy = policyOfReason[reason];
          const { severity } = policies[policy];
          const opened = `{"kind": "${kind}", "policy": "${policy}", "source": "report", "severity": ${severity}}`;
          // The reader knows the number of the entry from the day before: here, one entry was written then.
          const first = link(start, `[2, ${at}, "reports", "opened", ${caseId}, ${opened}]`);
          const second = link(first, `[3, ${at}, "reports", "reported", ${caseId}, {"reason": "${reason}"}]`);
          if (second.toString('hex') === after) return { minute, caseId, kind, reason };
        }
  return null;
}

test('the fingerprints of two days tell neither how many entries are between them nor what they say', async () => {
  const own = await ownTestApp();
  moveTo(own, '2026-09-10T12:00:00Z');
  await write(own, [{ at: own.clock.now(), action: 'signed_in' }]);
  moveTo(own, '2026-09-11T12:00:00Z');
  const before = (await own.call(getLedger)).body.audit;
  const vent = await makeVent(own, await makeUser(own));
  await reportItem(own, { kind: 'vent', id: vent.id }, 'harassment');
  moveTo(own, '2026-09-12T12:00:00Z');
  const after = (await own.call(getLedger)).body.audit;
  expect(after?.hash).not.toBe(before?.hash);
  expect([before, after].map((head) => Object.keys(head ?? {}))).toEqual([['hash'], ['hash']]);
  const from = Date.parse('2026-09-11T00:00:00+05:30');
  expect(openQuietDay(before?.hash ?? '', after?.hash ?? '', { from, cases: 2 })).toBeNull();
});

test('a ledger shows twelve months at most, and months without entries between them', async () => {
  const own = await ownTestApp();
  moveTo(own, '2026-09-10T12:00:00Z');
  await write(
    own,
    ['2025-01', '2026-08'].map((month) => ({ at: startOf(month) + hour, action: 'reported' })),
  );
  const { months } = (await own.call(getLedger)).body;
  expect(months).toHaveLength(12);
  expect(months.at(-1)?.month).toBe('2025-09');
  // One report is not published as one; a month without any says so.
  expect(months.map(({ reports }) => reports)).toEqual([null, ...Array.from({ length: 11 }, () => 0)]);
});

test('no count from 1 to 4 is published, and none can be computed from the total and the other counts', () => {
  const names = ['a', 'b', 'c', 'd'] as const;
  const most = 26;
  /** Every history with this many in all: a view has the total, so none beyond it looks the same. */
  const all: number[][] = [];
  const extend = (counts: readonly number[], left: number): void => {
    if (counts.length === names.length) return void all.push([...counts]);
    for (let count = 0; count <= left; count++) extend([...counts, count], left - count);
  };
  extend([], most);
  /** What an attacker who knows the rule sees, and every history that looks like it. */
  const seen = new Map<string, number[][]>();
  for (const counts of all) {
    const { shown, rest } = publishParts(
      names,
      new Map(names.map((name, place) => [name, counts[place] ?? 0])),
    );
    const total = counts.reduce((sum, count) => sum + count, 0);
    const view = JSON.stringify([
      publishCount(total),
      shown.toSorted((a, b) => a.name.localeCompare(b.name)),
      rest,
    ]);
    const isSafe = [rest ?? 0, ...shown.map(({ count }) => count)].every(
      (count) => count === 0 || count >= smallestCount,
    );
    if (!isSafe) expect.fail(view);
    const same = seen.get(view);
    if (same) same.push(counts);
    else seen.set(view, [counts]);
  }
  expect(seen.size).toBeGreaterThan(1000);
  for (const [view, histories] of seen) {
    for (const place of names.keys()) {
      const possible = new Set(histories.map((counts) => counts[place] ?? 0));
      const [only] = possible;
      const isKnown = possible.size === 1 && only !== undefined && only > 0 && only < smallestCount;
      if (isKnown) expect.fail(`${view} tells that a count is ${only}`);
    }
  }
});
