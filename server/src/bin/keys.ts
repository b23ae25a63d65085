import { countPhoneIndexes } from '../identity/accounts/accounts.queries.ts';
import { readConfig } from '../config.ts';
import { buildDeps } from '../deps.ts';
import { buildFeatures } from '../features.ts';
import { readOrRefuse } from './refuse.ts';

/**
 * npm run keys: prints how many phone index entries each master key protects. npm run keys -- wrap: wraps every entry
 * with the newest key of the ring, which protects them if an older key has leaked.
 */
const config = readOrRefuse(readConfig, process.env);
const deps = await buildDeps({ ...config, logLevel: 'warn', databaseTimeoutMs: 0 });
const [command] = process.argv.slice(2);
if (command === 'wrap' && config.masterKeys.some(({ id }) => id > (config.masterKeys[0]?.id ?? 0))) {
  console.error('put the newest key first in MASTER_KEYS, in every process: then wrap with it');
  process.exitCode = 1;
} else if (command === 'wrap') {
  const { accounts } = await buildFeatures(deps);
  console.log(`${await accounts.rewrapAll()} numbers wrapped`);
} else if (command !== undefined) {
  console.error('unknown command: use npm run keys, or npm run keys -- wrap');
  process.exitCode = 1;
}
for (const { keyId, wrappedBy, count } of await countPhoneIndexes(deps.databases.identity)) {
  const around = wrappedBy.length > 0 ? `, wrapped with ${wrappedBy.join(' and ')}` : '';
  console.log(`key ${keyId}${around}: ${count} numbers`);
}
await deps.close();
