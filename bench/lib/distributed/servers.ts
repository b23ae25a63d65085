import { execFileSync } from 'node:child_process';
import { searchNewest } from '../../../server/src/content/search/vent-search.hot.queries.ts';
import { migrate, seedScript } from '../../../testkit/server-process.ts';
import { startTempPostgres, type TempPostgres } from '../../../testkit/temp-postgres.ts';
import { cloneVents } from '../clone-vents.ts';
import { psql } from '../psql.ts';

/**
 * One PostgreSQL with the product's tables, and three that share the same rows: hash partitions, of which each server has
 * one, and reaches the other two by postgres_fdw. Every server takes every statement, so none is only a coordinator.
 */

const settings = [
  'max_connections = 400',
  'shared_buffers = 512MB',
  'max_wal_size = 8GB',
  'checkpoint_timeout = 1h',
  // A round of writes is too short to tell its share of these.
  'autovacuum = off',
  "log_min_messages = 'fatal'",
];

/** Tables and what decides the server of a row. */
const distributed = {
  vents: 'id',
  vent_stats: 'vent_id',
  vent_search: 'vent_id',
  comments: 'vent_id',
  reactions: 'vent_id',
  taken_slots: 'taken_key',
  // From slot to vent: the unique index on vents.slot_key holds on one server only.
  slot_directory: 'slot_key',
};
const keptNewest = 20_000;
const seeded = 100_000;

const seedEnv = (url: string) => ({
  PATH: process.env['PATH'],
  NODE_ENV: 'test',
  DATABASE_URL: url,
  REDIS_URL: process.env['REDIS_URL'],
  LOG_LEVEL: 'warn',
  PHONE_INDEX_COST: '4',
  SEED_TEXTS: 'benchmark',
});

async function startEmpty(): Promise<TempPostgres> {
  const server = await startTempPostgres({ settings });
  migrate(seedEnv(server.url));
  // As the api sets them, also for the connections between the servers.
  psql(
    server.url,
    'alter database unsaid set jit = off; alter database unsaid set plan_cache_mode = force_generic_plan',
  );
  return server;
}

export async function startOne(size: number): Promise<TempPostgres> {
  const one = await startEmpty();
  const first = Math.min(size, seeded);
  const args = ['--users', String(Math.ceil(first / 10)), '--vents', String(first)];
  execFileSync(process.execPath, [seedScript(), ...args], { env: seedEnv(one.url), stdio: 'ignore' });
  if (size > first) await cloneVents(one.url, size / first);
  psql(
    one.url,
    `create view content.slot_directory as select slot_key, id as vent_id from content.vents;
     create table public.by_number (key bigint) partition by hash (key);
     create table public.by_bytes (key bytea) partition by hash (key)`,
  );
  psql(one.url, 'vacuum analyze');
  return one;
}

/** Secondary indexes are dropped before, and built after, the rows are copied. */
function loadShare(one: TempPostgres, shard: TempPostgres, remainder: number): void {
  psql(
    shard.url,
    `create table content.slot_directory (slot_key bytea primary key, vent_id bigint not null);
     create table content.newest (id bigint primary key, created_at timestamptz not null);
     create index newest_feed on content.newest (created_at desc, id desc)`,
  );
  const indexes = psql(
    shard.url,
    `select format('%I.%I', schemaname, indexname), indexdef from pg_indexes
      where schemaname = 'content' and not exists (select from pg_constraint where conname = indexname)`,
  )
    .split('\n')
    .map((line) => line.split('|') as [string, string]);
  psql(shard.url, indexes.map(([name]) => `drop index ${name}`).join(';'));
  const copy = (from: string, into: string) =>
    execFileSync('bash', [
      '-c',
      `set -o pipefail; psql -qXc "copy (${from}) to stdout (format binary)" ${one.url} |
       psql -qXv ON_ERROR_STOP=1 -c "set session_replication_role = replica" -c "copy content.${into} from stdin (format binary)" ${shard.url}`,
    ]);
  for (const [table, key] of Object.entries(distributed))
    copy(
      `select * from content.${table} where satisfies_hash_partition('public.by_${
        /_key$/u.test(key) ? 'bytes' : 'number'
      }'::regclass, 3, ${remainder}, ${key})`,
      table,
    );
  if (remainder === 0)
    copy(
      `select id, created_at from content.vents where state = 'visible' order by created_at desc, id desc limit ${keptNewest}`,
      'newest',
    );
  psql(
    shard.url,
    `set maintenance_work_mem = '512MB'; ${indexes.map(([, definition]) => definition).join(';')}`,
  );
  psql(shard.url, 'vacuum analyze');
}

/** The text of the product's own statement, for a function: a server asks the others by dblink, all at once. */
async function searchText(): Promise<string> {
  let text = '';
  const tap = { executeQuery: async ({ sql }: { sql: string }) => ((text = sql), { rows: [] }) };
  await searchNewest(tap as never, { terms: [], emotions: null, beforeId: null }, 1);
  return text;
}

/** The own tables move to the schema `here`, and `content` has those of all servers under the names of the product. */
function join(shards: readonly TempPostgres[], me: number, search: string): void {
  const others = shards.map((shard, n) => ({ ...shard, n })).filter(({ n }) => n !== me);
  const result = (n: number) => `dblink_get_result('s${n}') as found (id bigint, is_by_sound boolean)`;
  const lines = [
    'alter schema content rename to here; create schema content',
    'create extension postgres_fdw; create extension dblink',
    'alter database unsaid set enable_partitionwise_join = on',
    ...others.map(
      ({ n, port }) => `create server s${n} foreign data wrapper postgres_fdw
        options (host '127.0.0.1', port '${port}', dbname 'unsaid', async_capable 'true', parallel_commit 'true', fdw_startup_cost '1');
        create user mapping for owner server s${n} options (user 'owner')`,
    ),
    ...Object.entries(distributed).map(
      ([
        table,
        key,
      ]) => `create table content.${table} (like here.${table} including defaults) partition by hash (${key});
        alter table content.${table} attach partition here.${table} for values with (modulus 3, remainder ${me});
        ${others
          .map(
            ({ n }) => `create foreign table content.${table}_${n} partition of content.${table}
              for values with (modulus 3, remainder ${n}) server s${n} options (schema_name 'here', table_name '${table}')`,
          )
          .join(';')}`,
    ),
    me === 0
      ? 'create view content.newest as select * from here.newest'
      : `create foreign table content.newest (id bigint, created_at timestamptz) server s0 options (schema_name 'here', table_name 'newest')`,
    // Other ids on each server.
    `create sequence content.vents_id_seq increment 3;
     select setval('content.vents_id_seq', 3 * (select nextval('here.vents_id_seq') + 100000000) + ${me})`,
    `create function content.folded(text) returns text language sql immutable parallel safe strict
       as $$ select lower(public.unaccent('public.unaccent', $1)) $$`,
    `create function here.search(bigint, text[], text[], text, text, text, int, int, int)
       returns table (id bigint, is_by_sound boolean) language plpgsql as $$
       #variable_conflict use_column
       begin return query ${search.replaceAll('content.', 'here.').replaceAll('\\\\', '\\')}; end $$`,
    `create function content.search_everywhere(words text[], sounds text[], most int)
       returns table (id bigint, is_by_sound boolean) language plpgsql as $$
       #variable_conflict use_column
       declare asked text := format('select * from here.search(9223372036854775807, %L, %L, null, null, null, %s, %3$s, %3$s)', words, sounds, most);
       begin
         if dblink_get_connections() is null then
           ${others.map(({ n }) => `perform dblink_connect('s${n}', 's${n}');`).join(' ')}
         end if;
         ${others.map(({ n }) => `perform dblink_send_query('s${n}', asked);`).join(' ')}
         return query select * from (
           select * from here.search(9223372036854775807, words, sounds, null, null, null, most, most, most)
           ${others.map(({ n }) => `union all select * from ${result(n)}`).join(' ')}) as merged order by id desc limit most;
         -- The second, empty result ends each of them.
         ${others.map(({ n }) => `perform from ${result(n)};`).join(' ')}
       end $$`,
    'analyze here.vents',
  ];
  psql(shards[me]?.url ?? '', lines.join(';\n'));
}

export async function startThree(one: TempPostgres): Promise<TempPostgres[]> {
  const shards = [await startEmpty(), await startEmpty(), await startEmpty()];
  for (const [n, shard] of shards.entries()) loadShare(one, shard, n);
  const search = await searchText();
  for (const n of shards.keys()) join(shards, n, search);
  return shards;
}
