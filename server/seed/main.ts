import pg from 'pg';
import { insertPhoneIndex } from '../src/identity/accounts/accounts.queries.ts';
import { createPhoneIndex } from '../src/identity/accounts/phone-index.ts';
import { readConfig } from '../src/config.ts';
import { buildDeps } from '../src/deps.ts';
import { today } from '../src/platform/clock.ts';
import { transaction } from '../src/platform/db.ts';
import { countUsers, seedUsers } from './people.ts';
import { createBenchmarkTexts } from './benchmark-texts.ts';
import { rewriteTrending } from '../src/content/feed/feed.queries.ts';
import { createSampleTexts } from './sample-texts.ts';
import { seedVents } from './vents.ts';
import { readOptions } from '../../testkit/options.ts';

/**
 * npm run seed -- --users 20 --vents 200 [--seed 1] [--if-empty]: fills a development database. The same seed gives the
 * same data. The first users have a phone number to sign in with. SEED_TEXTS=benchmark: generated words of known
 * frequency instead of vents to read (a variable, because benchmarks also seed with older checkouts).
 */
const options = readOptions({ users: 20, vents: 200, seed: 1, 'if-empty': false });

const config = readConfig(process.env);
if (config.isProduction) throw new Error('seed does not run in production');
const deps = await buildDeps({ ...config, logLevel: 'warn', databaseTimeoutMs: 0 });
const { databases: db } = deps;
const phoneIndex = createPhoneIndex(deps, config.phoneIndexCost);
const { seed, users, vents } = options;
const begunAt = performance.now();
const seconds = () => ((performance.now() - begunAt) / 1000).toFixed(0);

/** Hashing a phone number is slow on purpose, so only the first users get one. */
const withNumber = 20;
const phoneOf = (position: number) => `+91990000${String(position + 1).padStart(4, '0')}`;

async function seedPeople(): Promise<void> {
  let position = 0;
  for await (const ids of seedUsers(db.identity, {
    seals: deps.seals,
    users,
    seed,
    today: today(deps.clock),
  })) {
    for (const id of ids.slice(0, Math.max(0, withNumber - position))) {
      const [entry] = await phoneIndex.lookupCandidates(phoneOf(position));
      if (entry) await insertPhoneIndex(db.identity, phoneIndex.seal(entry, id));
      position += 1;
    }
    position = Math.max(position, withNumber);
  }
  console.log(`${users} people after ${seconds()} s`);
}

async function seedCommunity(): Promise<void> {
  const isLarge = vents >= 100_000;
  const owner = new pg.Client({ connectionString: config.databaseUrl });
  await owner.connect();
  // Filling the index of words row by row takes several times as long as building it once.
  const { rows } = await owner.query<{ definition: string }>(
    `select pg_get_indexdef('content.vent_search_segments'::regclass) as definition`,
  );
  if (isLarge) await owner.query('drop index content.vent_search_segments');
  for await (const done of seedVents(db.content, {
    seed,
    vents,
    users,
    texts: process.env['SEED_TEXTS'] === 'benchmark' ? createBenchmarkTexts : createSampleTexts,
    persons: deps.persons,
    speakers: deps.speakers,
    now: deps.clock.now(),
  })) {
    if (done % 100_000 === 0) console.log(`${done} vents after ${seconds()} s`);
  }
  if (isLarge)
    await owner.query(`set maintenance_work_mem = '1GB'; ${rows[0]?.definition};
      alter index content.vent_search_segments alter column 1 set statistics 0`);
  await owner.query('analyze content.vents; analyze content.vent_search; analyze content.vent_stats');
  await owner.end();
  await transaction(db.content, (tx) => rewriteTrending(tx, new Date(deps.clock.now()), 50));
  console.log(`${vents} vents after ${seconds()} s`);
}

if (options['if-empty'] && (await countUsers(db.identity)) > 0) {
  console.log('The database already has accounts: nothing seeded.');
} else {
  await seedPeople();
  await seedCommunity();
  console.log(`Sign in as one of them with ${phoneOf(0)} to ${phoneOf(Math.min(users, withNumber) - 1)}.`);
}
await deps.close();
