import {
  changeUsername,
  closeToVoice,
  createVent,
  deleteAccount,
  getSelf,
  react,
  setMutes,
  thankForComment,
} from '@unsaid/contract';
import { readFile, readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { nightlyTables } from '../src/identity/sessions/last-seen.queries.ts';
import { transaction, type Databases } from '../src/platform/db.ts';
import { bindJobs } from '../src/platform/job-rows.ts';
import type { Job } from '../src/platform/job.ts';
import {
  listRewrittenTables,
  rewriteRows,
  rewriteTable,
  type BatchedTable,
  type RewrittenTable,
} from '../src/platform/rewrite-rows.ts';
import { usePool, useTestApp } from './app.ts';
import {
  makeComment,
  makeUser,
  makeValidCode,
  makeVent,
  markConfirmed,
  runJob,
  suspend,
  type Person,
} from './factories.ts';
import { expectLockWaiters } from './locks.ts';
import { makeNamed, suggestionsOf } from './pairs.ts';

const app = useTestApp({ logLevel: 'silent', limitsScale: 1000 });
const rows = usePool(app);

/** Complete, because the app has imported every feature. */
const tables = () => listRewrittenTables();

/** Why `xmin`: a place is taken again once the dead row in it is pruned, an id of a transaction never is. */
async function readTable({ name }: RewrittenTable) {
  const { rows: read } = await rows.query<{ row: Record<string, unknown>; writtenBy: string }>(
    `select to_jsonb(t) as row, xmin::text as "writtenBy" from ${name} t order by ctid`,
  );
  return { content: read.map(({ row }) => row), writers: read.map(({ writtenBy }) => writtenBy) };
}

const plant = (name: string) =>
  rows.query(`alter table ${name} add column if not exists planted text default 'lost'`);

const leave = async (person: Person) => {
  await markConfirmed(app, person);
  expect((await app.call(deleteAccount, { as: person })).status).toBe(200);
};

let town = 0;
/** Writes rows to every rewritten table, as people do. */
async function makeRows(): Promise<void> {
  const [ann, ben, cat, dan] = [
    await makeNamed(app),
    await makeNamed(app),
    await makeNamed(app),
    await makeUser(app),
  ];
  town += 1;
  await app.call(changeUsername, { as: cat, body: { newUsername: `cat_by_name_${town}` } });
  for (let n = 0; n < 3; n += 1) {
    const { id } = await makeVent(app, ann);
    const commentId = await makeComment(app, ben, id);
    await app.call(react, { as: ben, body: { ventId: id, reactionType: 'hug', active: true } });
    const helpful = { ventId: id, commentId: await makeComment(app, cat, id) };
    await app.call(thankForComment, { as: ann, params: helpful });
    await app.call(closeToVoice, { as: ann, params: { ventId: id, commentId } });
    await makeComment(app, cat, (await makeVent(app, ben)).id, { anonymous: false });
  }
  const { vent } = (
    await app.call(createVent, {
      as: ann,
      body: { title: 'A', text: 'rain', emotion: 'Sad' },
      headers: { 'idempotency-key': `a-key-of-this-test-${town}-0001` },
    })
  ).body;
  await makeComment(app, ben, vent?._id ?? '');
  await suggestionsOf(app, ann);
  await app.call(createVent, {
    as: ann,
    body: { title: 'Later', text: 'snow', emotion: 'Sad', later: true },
  });
  await app.call(setMutes, { as: ann, body: { words: ['storm'], hashtags: [], emotions: [] } });
  await markConfirmed(app, ann);
  await makeValidCode(app, ann);
  await leave(cat);
  await suspend(app, dan);
  await leave(dan);
}

describe('jobs that rewrite rows', () => {
  test('keep a column that was added while the process runs, over an hour and a night', async () => {
    await makeRows();
    for (const { name } of tables()) {
      await plant(name);
      await rows.query(`update ${name} set planted = 'kept'`);
    }
    const rewritten = new Set<string>();
    const run = async () => {
      const before = new Map<string, string[]>();
      for (const table of tables()) before.set(table.name, (await readTable(table)).writers);
      for (const { name } of app.features.jobs) await runJob(app, name);
      for (const table of tables()) {
        const { content, writers } = await readTable(table);
        expect(content.length, `${table.name} has rows`).toBeGreaterThan(0);
        expect(
          content.filter(({ planted }) => planted !== 'kept'),
          table.name,
        ).toEqual([]);
        if (writers.every((writer) => !before.get(table.name)?.includes(writer))) rewritten.add(table.name);
      }
    };
    await run();
    app.clock.advance(24 * 3_600_000);
    await run();
    expect([...rewritten].toSorted()).toEqual(
      tables()
        .map(({ name }) => name)
        .toSorted(),
    );
  });
});

describe('a large table', () => {
  test('is moved some rows at a time: children stay, readers pass, writers find their row', async () => {
    const { identity } = app.deps.databases;
    const table = nightlyTables.find(({ name }) => name === 'identity.users') as BatchedTable;
    const person = await makeUser(app);
    const countAll = async () =>
      (
        await rows.query<{ users: number; sessions: number }>(
          `select (select count(*)::int from identity.users) as users, (select count(*)::int from identity.sessions) as sessions`,
        )
      ).rows;
    const before = await countAll();
    const original = await readTable(table);
    const holding = await rows.connect();
    await holding.query('begin');
    await holding.query('select from identity.users where id = $1 for update', [person.userId]);
    const job: Job = {
      name: 'move',
      cron: '0 0 * * *',
      run: (jobRows) => rewriteTable(identity, jobRows, table),
    };
    const [move] = bindJobs([job], app.deps);
    const moving = move?.run();
    await expectLockWaiters(rows, 1);
    // Somebody is read while the rewrite waits, and one who writes comes after it.
    expect((await app.call(getSelf, { as: person })).status).toBe(200);
    const renaming = app.call(changeUsername, { as: person, body: { newUsername: 'after_the_move' } });
    await expectLockWaiters(rows, 2);
    await holding.query('commit');
    holding.release();
    await moving;
    expect((await renaming).status).toBe(200);
    await move?.run();
    expect(await countAll()).toEqual(before);
    const after = await readTable(table);
    expect(after.writers.filter((writer) => original.writers.includes(writer))).toEqual([]);
    expect((await app.call(getSelf, { as: person })).body.user.username).toBe('after_the_move');
  });
});

describe('a rewrite', () => {
  interface Column {
    readonly name: string;
    readonly type: string;
    readonly fallback: string | null;
  }

  /** A value by type, another one in each row. Throws for a type that no rewritten table has yet. */
  function valueOf({ name, type, fallback }: Column, row: number): string {
    const value = {
      bigint: `${100 - row}`,
      integer: `${100 - row}`,
      smallint: `${100 - row}`,
      boolean: fallback === 'true' ? 'false' : 'true',
      text: `'text ${9 - row}'`,
      'timestamp with time zone': `'2026-02-0${9 - row}T00:00:00Z'`,
      bytea: `'\\x0${9 - row}'`,
      'text[]': `'{row ${9 - row}}'`,
      date: `'2026-02-0${9 - row}'`,
      'smallint[]': `'{${9 - row},7}'`,
      uuid: `'00000000-0000-4000-8000-00000000000${9 - row}'`,
      jsonb: `'{"row": ${row}}'`,
    }[type];
    if (value === undefined) throw new Error(`no value for ${name}, which is ${type}`);
    return value;
  }

  /** Fills every column with a value that is not its default. */
  async function fill({ name: table }: RewrittenTable): Promise<void> {
    await rows.query(`truncate ${table} cascade`);
    // A constraint would need rows of other tables.
    const { rows: constraints } = await rows.query<{ name: string }>(
      'select conname as name from pg_constraint where conrelid = $1::regclass',
      [table],
    );
    for (const { name } of constraints)
      await rows.query(`alter table ${table} drop constraint if exists ${name} cascade`);
    const { rows: columns } = await rows.query<Column>(
      `select attname as name, format_type(atttypid, atttypmod) as type, pg_get_expr(adbin, adrelid) as fallback
         from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
        where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
      [table],
    );
    for (const row of [1, 2, 3])
      await rows.query(
        `insert into ${table} (${columns.map(({ name }) => name).join()})
         values (${columns.map((column) => valueOf(column, row)).join()})`,
      );
    for (const { name, fallback } of columns) {
      const { rowCount } = await rows.query(
        `select 1 from ${table} where ${name} is not distinct from (${fallback ?? 'null'})`,
      );
      expect(rowCount, `${table}.${name} differs from its default`).toBe(0);
    }
  }

  test('keeps the value of every column, and puts rows in their new order', async () => {
    // A function in the database rewrites taken slots: the test above runs it.
    for (const table of tables().filter(({ name }) => name !== 'content.taken_slots')) {
      await plant(table.name);
      await fill(table);
      const before = await readTable(table);
      const schema = table.name.split('.')[0] as keyof Pick<Databases, 'content'>;
      await transaction(app.deps.databases[schema], (tx) => rewriteRows(tx, table));
      const after = await readTable(table);
      expect(after.content, table.name).toEqual(before.content.toReversed());
      expect(after.writers.filter((writer) => before.writers.includes(writer))).toEqual([]);
    }
  });

  test('is written in one place: no other statement deletes rows and inserts them again', async () => {
    const source = new URL('../src/', import.meta.url);
    const files = (await readdir(source, { recursive: true })).filter((file) => file.endsWith('.ts'));
    // The rows of a CTE that deletes them, selected again by an insert.
    const selectsDeleted = /(\w+) as \(\s*delete from[^`]*insert into(?:[^()`]|\([^()]*\))* from \1\b/u;
    const found: string[] = [];
    for (const file of files)
      if (selectsDeleted.test(await readFile(new URL(file, source), 'utf8'))) found.push(file);
    expect(found).toEqual(['platform/rewrite-rows.ts']);
  });
});
