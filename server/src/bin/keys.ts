import { countPhoneIndexes } from '../identity/accounts/accounts.queries.ts';
import { readConfig, readMigrationConfig } from '../config.ts';
import { buildDeps } from '../deps.ts';
import { buildFeatures } from '../features.ts';
import { ownersOf, replaceKey, ReplaceKeyError } from '../replace-key.ts';
import { readOrRefuse } from './refuse.ts';

/** npm run keys: prints how many phone index entries each master key protects, and what the commands below do. */
const usage = `npm run keys -- wrap       wraps every number with the newest key
npm run keys -- replace    replaces a leaked key in all that is stored; with the URL of \`migrate\``;

const [command] = process.argv.slice(2);
const isReplacing = command === 'replace';
const owners = isReplacing ? readOrRefuse(readMigrationConfig, process.env) : null;
// Production refuses the owner's login to everything else: its connections are this command's own.
const env = owners?.isProduction ? { ...process.env, DATABASE_URL: undefined } : process.env;
const config = readOrRefuse(readConfig, env);
const deps = await buildDeps({ ...config, logLevel: 'warn', databaseTimeoutMs: 0 });

async function run(): Promise<void> {
  if (command === 'wrap' && config.masterKeys.some(({ id }) => id > (config.masterKeys[0]?.id ?? 0)))
    throw new ReplaceKeyError('put the newest key first in MASTER_KEYS, in every process: then wrap with it');
  if (command === 'wrap') {
    const { accounts } = await buildFeatures(deps);
    console.log(`${await accounts.rewrapAll()} numbers wrapped`);
  } else if (owners) {
    await replaceKey({ deps, ownerUrls: ownersOf(owners.owned), say: (line) => console.log(line) });
  } else if (command !== undefined) throw new ReplaceKeyError(usage);
}

try {
  await run();
  for (const { keyId, wrappedBy, count } of await countPhoneIndexes(deps.databases.identity)) {
    const around = wrappedBy.length > 0 ? `, wrapped with ${wrappedBy.join(' and ')}` : '';
    console.log(`key ${keyId}${around}: ${count} numbers`);
  }
} catch (error) {
  if (!(error instanceof ReplaceKeyError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await deps.close();
}
