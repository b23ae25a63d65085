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

// Without autovacuum: a round of writes is too short to tell its share of it.
const settings = [
  'max_connections = 400',
  'shared_buffers = 512MB',
  'max_wal_size = 8GB',
  'autovacuum = off',
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

const envOf = (url: string) => ({ ...process.env, NODE_ENV: 'test', DATABASE_URL: url, LOG_LEVEL: 'warn' });

async function startEmpty(): Promise<TempPostgres> {
  const server = await startTempPostgres({ settings });
  migrate(envOf(server.url));
  // As the api sets them, also for the connections between the servers.
  const setting = (name: string) => psql(server.url, `alter database unsaid set ${name}`);
  setting('jit = off');
  setting('plan_cache_mode = force_generic_plan');
  return server;
}

export async function startOne(size: number): Promise<TempPostgres> {
  const one = await startEmpty();
  const first = Math.min(size, seeded);
  const args = ['--users', String(Math.ceil(first / 10)), '--vents', String(first)];
  const env = { ...envOf(one.url), PHONE_INDEX_COST: '4', SEED_TEXTS: 'benchmark' };
  execFileSync(process.execPath, [seedScript(), ...args], { env, stdio: 'ignore' });
  if (size > first) await cloneVents(one.url, size / first);
  psql(
    one.url,
    `create view content.slot_directory as select slot_key, id as vent_id from content.vents;
     create table public.by_id (key bigint) partition by hash (key);
     create table public.by_key (key bytea) partition by hash (key)`,
  );
  psql(one.url, 'vacuum analyze');
  return one;
}

function loadShare(one: TempPostgres, shard: TempPostgres, remainder: number): void {
  const words = psql(shard.url, `select pg_get_indexdef('content.vent_search_segments'::regclass)`);
  psql(
    shard.url,
    `drop index content.vent_search_segments;
     create table content.slot_directory (slot_key bytea primary key, vent_id bigint not null);
     create table content.newest (id bigint primary key, created_at timestamptz not null);
     create index newest_feed on content.newest (created_at desc, id desc)`,
  );
  const copy = (from: string, into: string) =>
    execFileSync('bash', [
      '-c',
      `set -o pipefail; psql -qXc "copy (${from}) to stdout (format binary)" ${one.url} |
       psql -qXv ON_ERROR_STOP=1 -c "set session_replication_role = replica" -c "copy content.${into} from stdin (format binary)" ${shard.url}`,
    ]);
  for (const [table, key] of Object.entries(distributed)) {
    const parent = `'public.by_${key.endsWith('_key') ? 'key' : 'id'}'::regclass`;
    copy(
      `select * from content.${table} where satisfies_hash_partition(${parent}, 3, ${remainder}, ${key})`,
      table,
    );
  }
  const newest = `select id, created_at from content.vents where state = 'visible' order by created_at desc, id desc`;
  if (remainder === 0) copy(`${newest} limit ${keptNewest}`, 'newest');
  psql(shard.url, `set maintenance_work_mem = '512MB'; ${words}`);
  psql(shard.url, 'vacuum analyze');
}

/** The text of the product's own statement, for a function: a server asks the others by dblink, all at once. */
async function searchText(): Promise<string> {
  let text = '';
  const tap = { executeQuery: async (query: { sql: string }) => ((text = query.sql), { rows: [] }) };
  await searchNewest(tap as never, { terms: [], emotions: null, beforeId: null }, 1);
  return text.replaceAll('content.', 'here.');
}

/** The own tables move to the schema `here`, and `content` has those of all servers under the names of the product. */
function join(shards: readonly TempPostgres[], me: number, search: string): void {
  const others = [...shards.keys()].filter((n) => n !== me);
  const onOthers = (line: (n: number) => string) => others.map(line).join('\n');
  const foreign = (n: number, table: string) =>
    `server s${n} options (schema_name 'here', table_name '${table}')`;
  const result = (n: number) => `dblink_get_result('s${n}') as found (id bigint, is_by_sound boolean)`;
  const partitions = Object.entries(distributed).map(
    ([table, key]) => `
      create table content.${table} (like here.${table} including defaults) partition by hash (${key});
      alter table content.${table} attach partition here.${table} for values with (modulus 3, remainder ${me});
      ${onOthers(
        (n) => `create foreign table content.${table}_${n} partition of content.${table}
                for values with (modulus 3, remainder ${n}) ${foreign(n, table)};`,
      )}`,
  );
  psql(
    shards[me]?.url ?? '',
    `alter schema content rename to here; create schema content;
     create extension postgres_fdw; create extension dblink;
     alter database unsaid set enable_partitionwise_join = on;
     ${onOthers(
       (n) => `create server s${n} foreign data wrapper postgres_fdw
         options (host '127.0.0.1', port '${shards[n]?.port}', dbname 'unsaid', async_capable 'true',
                  parallel_commit 'true', use_remote_estimate 'true');
         create user mapping for owner server s${n} options (user 'owner');`,
     )}
     ${partitions.join('')}
     ${
       me === 0
         ? 'create view content.newest as select * from here.newest;'
         : `create foreign table content.newest (id bigint, created_at timestamptz) ${foreign(0, 'newest')};`
     }
     -- Other ids on each server.
     create sequence content.vents_id_seq increment 3 start ${300_000_000 + me};
     create function content.folded(text) returns text language sql immutable parallel safe strict
       as $$ select lower(public.unaccent('public.unaccent', $1)) $$;
     create function here.search(bigint, text[], text[], text, text, text, int, int, int)
       returns table (id bigint, is_by_sound boolean) language plpgsql as $$
       #variable_conflict use_column
       begin return query ${search}; end $$;
     create function content.search_everywhere(words text[], sounds text[], most int)
       returns table (id bigint, is_by_sound boolean) language plpgsql as $$
       #variable_conflict use_column
       declare asked text := format('select * from here.search(%s, %L, %L, null, null, null, %s, %4$s, %4$s)',
                                    (2 ^ 62)::bigint, words, sounds, most);
       begin
         if dblink_get_connections() is null then
           ${onOthers((n) => `perform dblink_connect('s${n}', 's${n}');`)}
         end if;
         ${onOthers((n) => `perform dblink_send_query('s${n}', asked);`)}
         return query select * from (
           select * from here.search((2 ^ 62)::bigint, words, sounds, null, null, null, most, most, most)
           ${onOthers((n) => `union all select * from ${result(n)}`)}) as merged order by id desc limit most;
         -- The second, empty result ends each of them.
         ${onOthers((n) => `perform from ${result(n)};`)}
       end $$`,
  );
}

/** Fills the list, so that servers of a failed start can be removed. */
export async function startThree(one: TempPostgres, shards: TempPostgres[]): Promise<void> {
  for (const n of [0, 1, 2]) {
    const shard = await startEmpty();
    shards.push(shard);
    loadShare(one, shard, n);
  }
  const search = await searchText();
  for (const n of shards.keys()) join(shards, n, search);
}
