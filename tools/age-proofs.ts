/**
 * node tools/age-proofs.ts: makes the last passkey proof of every moderator eleven minutes older, for journeys. Sessions
 * carry a seal over that time, so a plain update would end them.
 */
import pg from 'pg';
import { readConfig } from '../server/src/config.ts';
import { createKeys } from '../server/src/platform/crypto/keys.ts';
import { createRowSeals } from '../server/src/platform/crypto/row-seals.ts';
import { createMetrics } from '../server/src/platform/metrics.ts';

const olderMs = 11 * 60_000;

const { databaseUrl, masterKeys } = readConfig(process.env);
const seals = createRowSeals(createKeys(masterKeys), createMetrics());
const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
const { rows } = await client.query<{
  token_key: Buffer;
  moderator_id: number;
  role: string;
  proven_at: Date;
  ends_at: Date;
}>(
  `select token_key, moderator_id, role, proven_at, ends_at
     from moderation.sessions join moderation.moderators on moderators.id = moderator_id`,
);
for (const { token_key: key, moderator_id: id, role, proven_at: proven, ends_at: ends } of rows) {
  const older = new Date(proven.getTime() - olderMs);
  const seal = seals.seal('console', key, id, role, older, ends);
  await client.query('update moderation.sessions set proven_at = $2, seal = $3 where token_key = $1', [
    key,
    older,
    seal,
  ]);
}
await client.end();
