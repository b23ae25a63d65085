import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { rekeyedContent } from './content/content.rekey.ts';
import { schemaNames, type Schema } from './db/schemas.ts';
import type { Deps } from './deps.ts';
import { rekeyedIdentity, rekeyVisits } from './identity/identity.rekey.ts';
import { isOfVisits } from './identity/sessions/visits.store.ts';
import { rekeyedMatching } from './matching/matching.rekey.ts';
import { rekeyedModeration } from './moderation/moderation.rekey.ts';
import { createKeys, type ReplacedKey } from './platform/crypto/keys.ts';
import { connectionOf, jobsSchema } from './platform/logins.ts';
import {
  applyStaged,
  dropStaged,
  lockStaged,
  rekeySettings,
  stageTable,
} from './platform/rekey/rekey-tables.ts';
import { pendingSchema } from './platform/key-watch.ts';
import type { KeyChange, RekeyedSchema } from './platform/rekey/rekeyed-table.ts';

/**
 * Replaces a leaked master key in all that is stored (docs/adr/0002), while people read. Nothing is written for as long as
 * `maintenance` is off, which this turns off and on. Killed at any point, it is run again and goes on.
 */
export interface ReplaceKeyOptions {
  readonly deps: Pick<Deps, 'config' | 'clock' | 'keys' | 'keyWatch' | 'metrics' | 'redis'>;
  /** Of the login that owns each schema. */
  readonly ownerUrls: Readonly<Record<Schema, string>>;
  readonly waits?: Waits;
  say(line: string): void;
}

interface Waits {
  /** Until a switch is in force in every process and the calls that began before have ended. */
  readonly pauseMs: number;
  /** Until every process uses the new key. */
  readonly followMs: number;
}
const usualWaits: Waits = { pauseMs: 10_000, followMs: 5000 };

export class ReplaceKeyError extends Error {}

interface Todo extends RekeyedSchema {
  readonly schema: Schema;
  readonly reader: pg.Client;
  readonly writer: pg.Client;
}

const jobsMs = 60_000;
/** Identity is last: processes follow it. */
const order = ['content', 'matching', 'moderation', 'identity'] as const satisfies readonly Schema[];
/** The advisory lock's number; nothing else uses it. */
const lockKey = 7_241_902;

export const rekeyedSchemas = (
  change: KeyChange,
  { metrics, clock }: Pick<Deps, 'metrics' | 'clock'>,
): Readonly<Record<Schema, RekeyedSchema>> => ({
  identity: rekeyedIdentity(change, metrics),
  content: rekeyedContent(change, clock.now()),
  matching: rekeyedMatching(change),
  moderation: rekeyedModeration(change, metrics),
});

export async function replaceKey(options: ReplaceKeyOptions): Promise<void> {
  const { deps, ownerUrls, say, waits = usualWaits } = options;
  const { config, keys, keyWatch } = deps;
  const opened: pg.Client[] = [];
  let pausedAt: number | null = null;
  async function open(connectionString: string, options = ''): Promise<pg.Client> {
    const client = new pg.Client({ connectionString, options, application_name: 'unsaid-replace-key' });
    await client.connect();
    opened.push(client);
    await client.query(rekeySettings);
    return client;
  }
  const jobsLogin = connectionOf(config, jobsSchema);
  const jobs = await open(jobsLogin.connectionString, jobsLogin.options);
  try {
    const lock = await open(ownerUrls.identity);
    const { rows } = await lock.query<{ is: boolean }>('select pg_try_advisory_lock($1) as is', [lockKey]);
    if (rows[0]?.is !== true) throw new ReplaceKeyError('it is running already');
    await keyWatch.refresh();
    if (keyWatch.lacksKey()) throw new ReplaceKeyError('MASTER_KEYS lacks the key in use');
    const accepted = config.masterKeys.find(
      ({ id, isRetired }) => keys.chain.slice(0, -1).includes(id) && !isRetired,
    );
    if (accepted)
      throw new ReplaceKeyError(`key ${accepted.id} was replaced: append :retired to it in every process`);
    const leaked = config.masterKeys.find(({ id }) => id === keys.chain.at(-1));
    const [newest] = config.masterKeys;
    if (!leaked || !newest) throw new ReplaceKeyError('MASTER_KEYS is empty');
    if (newest.id !== leaked.id) {
      if (newest.id < leaked.id || leaked.isRetired !== true)
        throw new ReplaceKeyError(
          `set MASTER_KEYS="<new id>:<new key>,${leaked.id}:<leaked key>:retired" in every process first`,
        );
      await changeRows(lock, leaked.id, newest.id);
    }
    await finish(lock);
    for (const schema of order) await vacuum(schema);
  } finally {
    for (const client of opened) await client.end().catch(() => {});
  }

  async function changeRows(lock: pg.Client, leakedId: number, newId: number): Promise<void> {
    const replaced = await readReplaced(lock);
    const change = changeTo([...replaced, { id: leakedId, replacedBy: newId }], replaced);
    const schemas = rekeyedSchemas(change, deps);
    const todo: Todo[] = [];
    for (const schema of order) {
      const [reader, writer] = [await open(ownerUrls[schema]), await open(ownerUrls[schema])];
      const { rowCount } = await writer.query(
        'select from public.replaced_keys where schema = $1 and id = $2',
        [schema, leakedId],
      );
      // Where an earlier run ended between two schemas.
      if (rowCount === 0) todo.push({ schema, reader, writer, ...schemas[schema] });
    }
    async function stage({ reader, writer, tables }: Todo): Promise<number> {
      let count = 0;
      for (const table of tables) count += await stageTable({ reader, writer }, table);
      return count;
    }
    for (const { writer, tables } of todo) for (const table of tables) await dropStaged(writer, table);
    await measured('rows computed, while people write', async () => sum(await inTurn(todo, stage)));
    // Seen by whoever reaches identity, also without the switches, until identity is changed.
    await lock.query(
      `insert into public.replaced_keys values ('${pendingSchema}', $1, $2) on conflict do nothing`,
      [leakedId, newId],
    );
    await jobs.query(`insert into public.switches values ('maintenance') on conflict do nothing`);
    pausedAt = performance.now();
    say('nothing is written from here on');
    try {
      await sleep(waits.pauseMs);
      await untilJobsEnd();
      await measured('rows computed that were written meanwhile', async () => sum(await inTurn(todo, stage)));
      await measured('rows changed', async () =>
        sum(await inTurn(todo, (one) => prepare(one, leakedId, newId))),
      );
    } catch (error) {
      // Where a schema has been changed already, what is written now would be lost: the next run goes on.
      if (todo.length === order.length) {
        await lock.query(`delete from public.replaced_keys where schema = '${pendingSchema}'`);
        await resume();
      } else say('nothing is written until this is run again');
      throw error;
    }
    // One right after the other. Processes follow the last.
    for (const { writer } of todo) await writer.query('commit');
    await keyWatch.refresh();
    await sleep(waits.followMs);
  }

  /** All but the commit. */
  async function prepare(
    { schema, writer, tables, ended = [] }: Todo,
    leakedId: number,
    newId: number,
  ): Promise<number> {
    await writer.query('begin');
    for (const table of tables)
      if (!(await lockStaged(writer, table)))
        throw new ReplaceKeyError(`${table.name} was written to: is every process following? Run it again`);
    let count = 0;
    for (const table of tables) count += await applyStaged(writer, table);
    for (const table of ended) await writer.query(`delete from ${table}`);
    if (schema === 'identity') {
      await writer.query('insert into identity.phone_keys values ($1) on conflict do nothing', [newId]);
      await writer.query(`delete from public.replaced_keys where schema = '${pendingSchema}'`);
    }
    await writer.query('insert into public.replaced_keys values ($1, $2, $3, $4)', [
      schema,
      leakedId,
      newId,
      schema === 'identity',
    ]);
    return count;
  }

  async function resume(): Promise<void> {
    await jobs.query(`delete from public.switches where name = 'maintenance'`);
    say(
      `people write again${pausedAt === null ? '' : `; nothing was written for ${secondsSince(pausedAt)} s`}`,
    );
  }

  /** Also after a run that was killed before this. */
  async function finish(client: pg.Client): Promise<void> {
    const replaced = await readReplaced(client);
    const last = replaced.find(({ hasSessions }) => hasSessions);
    if (!last) {
      say('nothing is left to do');
      return;
    }
    await emptyRedis(
      changeTo(
        replaced,
        replaced.filter((one) => one !== last),
      ),
    );
    await resume();
    await sleep(waits.followMs);
    // Only now: whoever loses a session can sign in again.
    await client.query('begin');
    await client.query(`update public.replaced_keys set has_sessions = false where schema = 'identity'`);
    const { rowCount } = await client.query('delete from identity.sessions');
    await client.query('commit');
    say(`${rowCount ?? 0} sessions ended`);
  }

  function changeTo(after: readonly ReplacedKey[], before: readonly ReplacedKey[]): KeyChange {
    const change = { before: createKeys(config.masterKeys), after: createKeys(config.masterKeys) };
    change.before.follow(before);
    change.after.follow(after);
    return change;
  }

  async function emptyRedis(change: KeyChange): Promise<void> {
    const { redis } = deps;
    const names: string[] = [];
    for await (const found of redis.names()) names.push(...found);
    await rekeyVisits(deps, names, change);
    const others = names.filter((name) => !isOfVisits(name));
    for (let from = 0; from < others.length; from += 1000) {
      const some = others.slice(from, from + 1000);
      await redis.run((client) => Promise.all(some.map((name) => client.unlink(name))));
    }
    say(`${others.length} names deleted from Redis`);
  }

  /** The old values are in the files until then. Reads go on. */
  async function vacuum(schema: Schema): Promise<void> {
    const client = await open(ownerUrls[schema]);
    const change = { before: keys, after: keys };
    for (const { name } of rekeyedSchemas(change, deps)[schema].tables)
      await client.query(`vacuum (analyze) ${name}`);
  }

  /** One that began before the pause. */
  async function untilJobsEnd(): Promise<void> {
    const giveUpAt = performance.now() + jobsMs;
    for (;;) {
      const { rows } = await jobs.query<{ name: string }>(
        `select name from ${jobsSchema}.job where state = 'active' limit 1`,
      );
      if (!rows[0]) return;
      if (performance.now() > giveUpAt) throw new ReplaceKeyError(`${rows[0].name} is still running`);
      await sleep(500);
    }
  }

  async function measured(what: string, work: () => Promise<number>): Promise<void> {
    const begun = performance.now();
    const count = await work();
    const seconds = secondsSince(begun);
    say(`${count} ${what}: ${seconds} s, ${Math.round(count / Math.max(0.001, Number(seconds)))} a second`);
  }
}

async function readReplaced(client: pg.Client): Promise<ReplacedKey[]> {
  const { rows } = await client.query<ReplacedKey>(
    `select id, replaced_by as "replacedBy", has_sessions as "hasSessions"
       from public.replaced_keys where schema = 'identity'`,
  );
  return rows;
}

async function inTurn<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const one of all) results.push(await work(one));
  return results;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const secondsSince = (begun: number) => ((performance.now() - begun) / 1000).toFixed(1);

/** For the command: the owner of each schema. */
export function ownersOf(owned: ReadonlyMap<string, readonly { readonly name: string }[]>) {
  const found = [...owned].flatMap(([url, held]) => held.map(({ name }) => [name, url] as const));
  const urls = new Map(found);
  return Object.fromEntries(schemaNames.map((name) => [name, urls.get(name) ?? ''])) as Record<
    Schema,
    string
  >;
}
