import { countPhoneIndexes } from '../auth/accounts.queries.ts';
import { readConfig } from '../config.ts';
import { buildDeps } from '../deps.ts';
import { buildFeatures } from '../features.ts';

/**
 * npm run keys: under which keys the numbers stand. npm run keys -- wrap: puts the newest key of the ring around
 * every one that does without it, which is what protects them when an older key has become known.
 */
const config = readConfig(process.env);
const deps = await buildDeps({ ...config, logLevel: 'warn' }, { statementTimeoutMs: 0 });
const [command] = process.argv.slice(2);
if (command === 'wrap') {
  const { accounts } = await buildFeatures(deps);
  console.log(`${await accounts.wrapNumbers()} numbers wrapped`);
} else if (command !== undefined) {
  console.error('keys takes no word but wrap');
  process.exitCode = 1;
}
for (const { keyId, wrappedBy, count } of await countPhoneIndexes(deps.db.identity)) {
  const around = wrappedBy.length > 0 ? `, wrapped with ${wrappedBy.join(' and ')}` : '';
  console.log(`key ${keyId}${around}: ${count} numbers`);
}
await deps.close();
