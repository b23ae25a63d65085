import { parseArgs } from 'node:util';
import { insertPhoneIndex } from '../auth/accounts.queries.ts';
import { createPhoneIndex } from '../auth/phone-index.ts';
import { readConfig } from '../config.ts';
import { buildDeps } from '../deps.ts';
import { createMatchesService } from '../matches/matches.service.ts';
import { today } from '../platform/clock.ts';
import { countUsers, seedUsers } from '../profiles/profiles.seed.ts';

/** npm run seed -- --users 20 [--seed 1] [--if-empty]: people to look at, the first few with a number to sign in with. */
const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    'if-empty': { type: 'boolean', default: false },
  },
});

const config = readConfig(process.env);
if (config.isProduction) throw new Error('seeding is for development');
const deps = await buildDeps({ ...config, logLevel: 'warn' });
const matches = createMatchesService(deps);
const phoneIndex = createPhoneIndex(deps.keys, config.phoneIndexCost);

/** The index of a number is slow on purpose, so only these get one. */
const withNumber = 20;
const phoneOf = (position: number) => `+91990000${String(position + 1).padStart(4, '0')}`;

if (values['if-empty'] && (await countUsers(deps.db.identity)) > 0) {
  console.log('People are here already: nothing seeded.');
} else {
  let position = 0;
  for await (const ids of seedUsers(deps.db.identity, {
    users: Number(values.users),
    seed: Number(values.seed),
    today: today(deps.clock),
  })) {
    for (const id of ids) {
      await matches.ensurePlace(id);
      if (position < withNumber) {
        const [entry] = await phoneIndex.entriesOf(phoneOf(position));
        if (entry) await insertPhoneIndex(deps.db.identity, entry, id);
      }
      position += 1;
    }
  }
  const last = phoneOf(Math.min(position, withNumber) - 1);
  console.log(`Seeded ${position} people. Sign in as one of them with ${phoneOf(0)} to ${last}.`);
}
await deps.close();
