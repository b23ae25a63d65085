/**
 * node tools/age-rows.ts proofs               the last passkey proof of every moderator, eleven minutes older
 * node tools/age-rows.ts feelings <username>  the feelings of a person, named in January
 * node tools/age-rows.ts waits                every wait of a recovery, over
 *
 * For journeys. These rows are sealed or encrypted, so a plain update would make them unreadable.
 */
import pg from 'pg';
import { readKeys } from '../bench/lib/data-keys.ts';
import { readConfig } from '../server/src/config.ts';
import { factColumns, openFacts } from '../server/src/identity/facts/account-facts.ts';
import {
  openRecovery,
  recoveryColumns,
  type RecoveryRow,
} from '../server/src/identity/facts/recovery-facts.ts';
import { hourMs } from '../server/src/platform/clock.ts';
import { createRowSeals } from '../server/src/platform/crypto/row-seals.ts';
import { createMetrics } from '../server/src/platform/metrics.ts';

const olderMs = 11 * 60_000;

const { databaseUrl } = readConfig(process.env);
const seals = createRowSeals(await readKeys(databaseUrl, process.env), createMetrics());
const client = new pg.Client({ connectionString: databaseUrl });

async function ageProofs(): Promise<void> {
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
}

async function ageFeelings(username: string): Promise<void> {
  const { rows } = await client.query<{ id: string; facts: Buffer }>(
    'select id, facts from identity.users where username = $1',
    [username],
  );
  const id = BigInt(rows[0]?.id ?? 0);
  const facts = rows[0] && openFacts(seals, { id, facts: rows[0].facts });
  if (!facts) throw new Error(`no account ${username}`);
  const { facts: changed } = factColumns(seals, id, { ...facts, feelingsFrom: '2026-01-01' });
  await client.query('update identity.users set facts = $2 where id = $1', [id, changed]);
}

async function endWaits(): Promise<void> {
  const { rows } = await client.query<Omit<RecoveryRow, 'userId'> & { readonly userId: string }>(
    `select user_id as "userId", code_key as "codeKey", replaced_key as "replacedKey", seal, facts
       from identity.recovery_codes`,
  );
  for (const row of rows) {
    const userId = BigInt(row.userId);
    const recovery = openRecovery(seals, { ...row, userId });
    if (!recovery?.wait) continue;
    const wait = { ...recovery.wait, opensAt: Math.floor(Date.now() / hourMs) * hourMs };
    const { codeKey, replacedKey, facts, seal } = recoveryColumns(seals, userId, { ...recovery, wait });
    await client.query(
      `update identity.recovery_codes set code_key = $2, replaced_key = $3, facts = $4, seal = $5 where user_id = $1`,
      [userId, codeKey, replacedKey, facts, seal],
    );
  }
}

const [what = '', name = ''] = process.argv.slice(2);
await client.connect();
if (what === 'proofs') await ageProofs();
else if (what === 'feelings') await ageFeelings(name);
else if (what === 'waits') await endWaits();
else throw new Error(`no such rows: ${what}`);
await client.end();
