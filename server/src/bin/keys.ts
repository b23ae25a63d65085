import pg from 'pg';
import { readConfig, readMigrationConfig } from '../config.ts';
import { schemaNames } from '../db/schemas.ts';
import { rewrap } from '../platform/crypto/data-keys.ts';
import { createLocalMasterKey } from '../platform/crypto/master-key.ts';
import { depsOrRefuse, readOrRefuse, refuse } from './refuse.ts';

/** npm run keys: says whether every data key opens. */
const usage = `npm run keys                  says whether the master key opens every data key
npm run keys -- replace       wraps the data keys with the first of MASTER_KEYS; with the URL of \`migrate\`
npm run keys -- turn          adds new data keys: what is written from the next minute on is closed with them`;

/** One transaction for each server. Run again, it does the same again. */
async function replace(): Promise<void> {
  const { owned } = readOrRefuse(readMigrationConfig, process.env);
  // Production refuses the owner's login to everything else.
  const config = readOrRefuse(readConfig, { ...process.env, DATABASE_URL: undefined });
  const masterKey = createLocalMasterKey(config.masterKeys);
  const begun = performance.now();
  let count = 0;
  for (const [connectionString, held] of owned) {
    const client = new pg.Client({ connectionString, application_name: 'unsaid-keys' });
    await client.connect();
    const schemas = schemaNames.filter((schema) => held.some(({ name }) => name === schema));
    try {
      count += await rewrap(client, schemas, masterKey);
    } finally {
      await client.end();
    }
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  console.log(`${count} data keys wrapped with key ${config.masterKeys[0].id} in ${seconds} s`);
}

async function withDeps(work: (deps: Awaited<ReturnType<typeof depsOrRefuse>>) => Promise<string>) {
  const deps = await depsOrRefuse(readOrRefuse(readConfig, process.env));
  try {
    console.log(await work(deps));
  } finally {
    await deps.close();
  }
}

const commands: Readonly<Record<string, () => Promise<void>>> = {
  status: () => withDeps(async () => 'the master key opens every data key'),
  turn: () => withDeps(async ({ dataKeys }) => `${await dataKeys.turn()} data keys added`),
  replace,
};
const run = commands[process.argv[2] ?? 'status'];
if (!run) refuse(usage, 'do that');
await run().catch((error: unknown) => refuse((error as Error).message, 'do that'));
