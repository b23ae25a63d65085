import { createVent, type ReportReasonCode } from '@unsaid/contract';
import { nextCase } from '@unsaid/contract/moderation/console';
import { policies, suggestedFrom } from '@unsaid/contract/moderation/policies';
import { expect, test } from 'vitest';
import { runJobs } from '../src/platform/jobs.ts';
import { usePool, useTestApp } from './app.ts';
import { proveAgain, signInAgain, signInModerator } from './authenticator.ts';
import { decide, readAllTerms, reportItem } from './cases-app.ts';
import { makeUser, type Person } from './factories.ts';
import { seeded } from './statistics.ts';

/**
 * The attacker has one dump. A sanction above what the points of its own rule give proves earlier notices of the same
 * author. For each such decision they weigh the sets of up to three earlier notices that explain it, and name the
 * likeliest. Moderators choose what the console suggests, and a few people break most rules.
 */

const app = useTestApp({ limitsScale: 100_000, logLevel: 'silent' });
const rows = usePool(app);
const size = { people: 90, days: 45, offenders: 9 };
const dayMs = 86_400_000;
const reasons: readonly ReportReasonCode[] = [
  ...Array.from({ length: 6 }, () => 'harassment' as const),
  'spam',
  'spam',
  'inappropriate',
  'private_info',
];

/** The author of each case. */
async function moderate(): Promise<ReadonlyMap<string, Person>> {
  const random = seeded(30);
  const authors = new Map<string, Person>();
  const people: Person[] = [];
  for (let n = 0; n < size.people; n += 1) people.push(await makeUser(app));
  const offenders = random.shuffle(people).slice(0, size.offenders);
  const lead = await signInModerator(app, { role: 'lead' });
  for (let day = 0; day < size.days; day += 1) {
    await runJobs(app.features.jobs.filter(({ name }) => name.startsWith('moderation-')));
    for (let n = random.below(2); n < 2; n += 1) {
      const as = random.pick(random.below(10) < 6 ? offenders : people);
      const answer = await app.call(createVent, { as, body: { title: 'A', text: 'rain', emotion: 'Sad' } });
      // Limited or suspended.
      if (answer.status !== 201) continue;
      const id = await reportItem(
        app,
        { kind: 'vent', id: answer.body.vent?._id ?? '' },
        random.pick(reasons),
      );
      authors.set(id, as);
      await signInAgain(app, lead);
      const found = (await app.callMod(nextCase, { as: lead })).body.case;
      if (found?.id !== id) throw new Error('another case came first');
      if (found.suggestedSanction === 'ban') await proveAgain(app, lead);
      const { policy, suggestedSanction } = found;
      const sanction = suggestedSanction === 'none' ? {} : { sanction: suggestedSanction };
      const decided = await decide(app, lead, id, { outcome: 'remove', policy, ...sanction });
      expect(decided.status, decided.text).toBe(200);
      app.clock.advance(dayMs / 24);
    }
    app.clock.advance(dayMs);
    for (const prefix of ['sess', 'standing']) {
      const keys = await app.redis.keys(`${app.config.redisPrefix}${prefix}*`);
      if (keys.length > 0) await app.redis.del(keys);
    }
  }
  return authors;
}

/** A notice as the dump shows it, with every place that ever showed its sanction. */
interface SeenNotice {
  readonly id: string;
  readonly policy: keyof typeof policies;
  readonly madeOn: string;
  readonly openedOn: string;
  readonly sanction: string | null;
}

const levels = ['ban', 'suspend', 'limit'] as const;
const levelOf = (total: number) => levels.find((level) => total >= suggestedFrom[level]) ?? 'none';

function joinByPoints(all: readonly SeenNotice[], authors: ReadonlyMap<string, Person>) {
  const seen = all.flatMap((one) => {
    const { points } = policies[one.policy];
    return points > 0 ? [{ ...one, points }] : [];
  });
  const found = { notices: seen.length, guesses: 0, right: 0, repeated: 0, baseRate: 0 };
  let [pairs, ofOneAuthor] = [0, 0];
  for (const one of seen) {
    const isSame = (id: string) => authors.get(id) === authors.get(one.id);
    const earlier = seen.filter(({ madeOn }) => madeOn < one.openedOn);
    pairs += earlier.length;
    ofOneAuthor += earlier.filter(({ id }) => isSame(id)).length;
    if (one.sanction === null || levelOf(one.points) === one.sanction) continue;
    const weights = new Map<string, number>();
    const weigh = (from: number, total: number, weight: number, chosen: readonly string[]): void => {
      if (chosen.length > 0 && levelOf(total + one.points) === one.sanction)
        for (const id of chosen) weights.set(id, (weights.get(id) ?? 0) + weight);
      if (chosen.length === 3) return;
      for (const [n, { id, points }] of earlier.entries())
        if (n >= from) weigh(n + 1, total + points, weight * 0.05, [...chosen, id]);
    };
    weigh(0, 0, 1, []);
    const [best] = [...weights].toSorted((a, b) => b[1] - a[1]);
    if (!best) continue;
    found.guesses += 1;
    if (isSame(best[0])) found.right += 1;
    if (earlier.some(({ id }) => isSame(id))) found.repeated += 1;
  }
  found.baseRate = ofOneAuthor / pairs;
  return found;
}

test('a dump proves no earlier notice of an author by a sanction, and would with the sanction in plain (R34)', async () => {
  const authors = await moderate();
  const { rows: held } = await rows.query<Record<string, unknown>>(
    `select to_jsonb(n) || to_jsonb(c) || a.detail || jsonb_build_object('id', c.id::text, 'made_on', n.made_on,
            'opened_on', c.opened_at::date) as row
       from moderation.notices n join moderation.cases c on c.id = n.case_id
       join moderation.audit a on a.case_id = c.id and a.action = 'decided' order by c.decided_at`,
  );
  const seen = held.map(({ row }): SeenNotice => {
    const { id, policy, made_on, opened_on, sanction } = row as Record<string, string>;
    return {
      id: id ?? '',
      policy: policy as SeenNotice['policy'],
      madeOn: made_on ?? '',
      openedOn: opened_on ?? '',
      sanction: sanction ?? null,
    };
  });
  const terms = await readAllTerms(app);
  const real = joinByPoints(seen, authors);
  const planted = joinByPoints(
    seen.map((one) => ({ ...one, sanction: terms.get(one.id)?.sanction ?? null })),
    authors,
  );
  console.log(JSON.stringify({ real, planted }));
  expect(real.guesses).toBe(0);
  expect(planted.guesses).toBeGreaterThan(5);
  // A proof: whoever was sanctioned beyond the rule had an earlier notice, without an exception.
  expect(planted.repeated).toBe(planted.guesses);
});
