import {
  changeUsername,
  closeAllVents,
  closeToVoice,
  commentOnVent,
  createVent,
  deleteVent,
  type Endpoint,
  getSelf,
  hide as hideFor,
  listComments,
  listVents,
  needs,
  react,
  reportVent,
  type KeepDays,
  type RequestOf,
  thankForComment,
  type VentView,
} from '@unsaid/contract';
import type pg from 'pg';
import { runJobs } from '../src/platform/jobs.ts';
import type { TestApp } from './app.ts';
import { makeUser, type Person } from './factories.ts';
import { seeded } from './statistics.ts';
import { listTables } from './tables.ts';

/**
 * A simulated community that uses the site for some days. Then the attacker has the database, and reads the site as
 * well. Knowledge of the schema that attacks need is in this file only.
 */

export type Row = Record<string, unknown>;
/** Every table as in a dump: all rows, in physical order. */
export type Dump = Record<string, Row[]>;

interface PublicComment {
  readonly username: string | null;
  readonly createdAt: string;
}
export interface PublicVent {
  readonly id: string;
  readonly createdAt: string;
  /** Oldest first: a comment is identified by its index here. */
  readonly comments: readonly PublicComment[];
}

export interface Truth {
  readonly authorOf: ReadonlyMap<string, string>;
  /** Key: `vent place`. */
  readonly comments: ReadonlyMap<string, { readonly by: string; readonly at: number }>;
  /** The writer of each row of content, by table and primary key. */
  readonly writers: ReadonlyMap<string, string>;
  /** The day of each row, by the same key. */
  readonly days: ReadonlyMap<string, string>;
  readonly keysOf: ReadonlyMap<string, readonly string[]>;
}

export interface Community {
  readonly truth: Truth;
  readonly site: readonly PublicVent[];
  /** The dump in the evening, before the nightly jobs, and after them. */
  readonly evening: Dump;
  readonly night: Dump;
}

export interface Size {
  readonly people: number;
  readonly vents: number;
  readonly days: number;
  /** Each person visits once in people / visitsADay days. */
  readonly visitsADay: number;
  /** Minutes between two visits: the minimum, and the range of the random addition. */
  readonly gap: readonly [number, number];
}

export const smallTown: Size = { people: 60, vents: 400, days: 3, visitsADay: 60, gap: [2, 20] };

// Knowledge of the schema -------------------------------------------------------------------------------

export const text = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** A comment's number within its vent, or else its id, which has the same order. */
const orderOf = (row: Row) => Number(row['no'] ?? row['id']);

/** The index of each comment under its vent, in the physical order of the rows. */
export function placesOf(copy: Dump): string[] {
  const comments = copy['content.comments'] ?? [];
  const placed = new Map<Row, string>();
  for (const [ventId, held] of Map.groupBy(comments, (row) => text(row['vent_id'])))
    for (const [n, row] of held.toSorted((a, b) => orderOf(a) - orderOf(b)).entries())
      placed.set(row, `${ventId} ${n}`);
  return comments.map((row) => placed.get(row) ?? '');
}

/**
 * Columns that may be equal in rows of one author: what authors type, what every reader is shown, and what is declared
 * (SC-6).
 */
export const openColumns: Readonly<Record<string, readonly string[]>> = {
  'content.vents': ['title', 'body', 'hashtags', 'emotion', 'created_at'],
  'content.vent_search': ['words'],
  // Several comments of a vent can be thanked for. The day is random.
  'content.thanks': ['vent_id', 'no', 'shown_from'],
  // A vent can be closed to several voices.
  'content.shut_outs': ['vent_id'],
  // Comments of an author under their own vent are shown as such, and `own_weight` is their number.
  'content.vent_stats': ['allow_comments', 'own_weight'],
  'content.comments': ['body', 'vent_id', 'said_on'],
  'content.reactions': ['vent_id'],
};

/** Rows that the worker writes, which belong to no person. */
export const ownerless: ReadonlySet<string> = new Set(['content.trending', 'content.leavings']);

/** Rows that belong to a vent, whose minute is public: that rows of one visit are close together is public too. */
export const tablesOfVents: ReadonlySet<string> = new Set([
  'content.vents',
  'content.vent_stats',
  'content.vent_search',
]);

/** Closes comments on all vents of one person. */
async function closeAll(app: TestApp, as: Person): Promise<void> {
  await callOk(app, closeAllVents, { as });
}

/** Hides a vent in the way the runbook describes. */
async function hide(rows: pg.Pool, ventId: string): Promise<void> {
  await rows.query(`update content.vents set state = 'hidden' where id = $1`, [ventId]);
}

/** Rewrites one author's old vents, as a switch stored on the vent would. */
export async function rewriteVents(client: pg.Pool | pg.PoolClient, ids: readonly string[]): Promise<void> {
  for (const id of ids) await client.query('update content.vents set title = title where id = $1', [id]);
}

/** Deletes all content and restarts the sequences. By delete: truncate takes longer than a whole history. */
export async function emptyContent(rows: pg.Pool): Promise<void> {
  const { rows: statements } = await rows.query<{ text: string }>(
    `select 'delete from content.' || quote_ident(tablename) as text from pg_tables where schemaname = 'content'
     union all
     select 'alter sequence content.' || quote_ident(sequencename) || ' restart' from pg_sequences
      where schemaname = 'content'`,
  );
  await rows.query([...statements.map((one) => one.text), 'delete from matching.pairs'].join(';'));
}

/** Replaces the random columns of an account by values derived from 32 given bytes. */
export async function alignAccount(
  { deps }: TestApp,
  rows: pg.Pool,
  userId: bigint,
  seed: Buffer,
): Promise<void> {
  const speakerId = seed.subarray(0, 8);
  const seal = deps.seals.seal('user', userId, seed, speakerId);
  await rows.query(
    `update identity.users set avatar_seed = $2, author_seed = $3, speaker_id = $4, place = $5, seal = $6 where id = $1`,
    [String(userId), seed.toString('base64url').slice(0, 22), seed, speakerId, seed.readInt32BE(8), seal],
  );
}

// Independent of the schema -----------------------------------------------------------------------------

export async function dump(client: pg.Pool | pg.PoolClient): Promise<Dump> {
  const copy: Dump = {};
  for (const name of await listTables(client)) {
    const { rows: held } = await client.query<{ row: Row }>(
      `select to_jsonb(t) as row from ${name} t order by ctid`,
    );
    copy[name] = held.map(({ row }) => row);
  }
  return copy;
}

async function callOk<E extends Endpoint>(
  app: TestApp,
  endpoint: E,
  options: Partial<RequestOf<E>> & { readonly as: Person; readonly headers?: Record<string, string> },
) {
  const answer = await app.call(endpoint, options);
  if (answer.status >= 300) throw new Error(`${endpoint.path}: ${answer.text}`);
  return answer.body;
}

/** Records the writer of every row of content, independent of its columns, as the ground truth. */
async function watchWriters(rows: pg.Pool): Promise<void> {
  await rows.query(`
    create table public.acting (who text not null, day int not null);
    insert into public.acting values ('', 0);
    create table public.written (table_name text not null, who text not null, day int not null, held jsonb not null);
    create function public.note_writer() returns trigger language plpgsql security definer as $$
      begin
        insert into public.written select tg_table_schema || '.' || tg_table_name, who, day, to_jsonb(new)
          from public.acting where who <> '';
        return null;
      end $$`);
  const { rows: tables } = await rows.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'content'`,
  );
  for (const { name } of tables)
    await rows.query(
      `create trigger note_writer after insert on content.${name} for each row execute function public.note_writer()`,
    );
}

const keyOf = (columns: readonly string[], row: Row) => columns.map((column) => text(row[column])).join(' ');
const rowKey = (name: string, key: string) => `${name} ${key}`;

async function readWriters(rows: pg.Pool): Promise<Pick<Truth, 'writers' | 'days' | 'keysOf'>> {
  const { rows: keys } = await rows.query<{ name: string; columns: string[] }>(
    `select i.indrelid::regclass::text as name, array_agg(a.attname::text order by a.attnum) as columns
       from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
       join pg_class c on c.oid = i.indrelid
      where i.indisprimary and c.relnamespace = 'content'::regnamespace group by 1`,
  );
  const keysOf = new Map(keys.map(({ name, columns }) => [name, columns]));
  const { rows: written } = await rows.query<{ name: string; who: string; day: number; held: Row }>(
    'select table_name as name, who, day, held from public.written',
  );
  const keyed = written.map(({ name, who, day, held }) => ({
    key: rowKey(name, keyOf(keysOf.get(name) ?? [], held)),
    who,
    day: String(day),
  }));
  return {
    keysOf,
    writers: new Map(keyed.map(({ key, who }) => [key, who])),
    days: new Map(keyed.map(({ key, day }) => [key, day])),
  };
}

/** The writer of a row; empty for rows of the worker. */
export const writerOf = ({ writers, keysOf }: Truth, name: string, row: Row): string =>
  writers.get(rowKey(name, keyOf(keysOf.get(name) ?? [], row))) ?? '';

/** The day a row was written. */
export const dayOf = ({ days, keysOf }: Truth, name: string, row: Row): string =>
  days.get(rowKey(name, keyOf(keysOf.get(name) ?? [], row))) ?? '';

/** The site as a user sees it who only reads. */
async function readSite(app: TestApp, as: Person): Promise<PublicVent[]> {
  const found: PublicVent[] = [];
  const number = (id: string) => String(app.deps.publicIds.vent.decode(id));
  for (let before: string | undefined; ;) {
    const query = before === undefined ? { limit: '100' } : { limit: '100', before };
    const { vents } = await callOk(app, listVents, { as, query });
    for (const vent of vents) {
      let comments = vent.comments;
      while (comments.length < vent.commentCount) {
        const older = await callOk(app, listComments, {
          as,
          params: { id: vent._id },
          query: { before: comments[0]?._id },
        });
        comments = [...older.comments, ...comments];
      }
      found.push({
        id: number(vent._id),
        createdAt: vent.createdAt,
        comments: comments.map(({ userId, createdAt }) => ({ username: userId.username, createdAt })),
      });
    }
    const last = vents.at(-1);
    if (!last) return found;
    before = last._id;
  }
}

interface Said {
  readonly sealed: string;
  readonly id: string;
  readonly by: number;
  readonly subject: string;
  readonly takesComments: boolean;
  /** Its author chose how long it stays. */
  readonly until: number;
}

/**
 * Ends the day and runs every job of the worker once. Redis caches a session for a minute of its own time, and a night
 * is longer, so cached sessions are deleted.
 */
export async function passNight(app: TestApp): Promise<void> {
  app.clock.advance(86_400_000 - (app.clock.now() % 86_400_000));
  const sessions = await app.redis.keys(`${app.config.redisPrefix}sess*`);
  if (sessions.length > 0) await app.redis.del(sessions);
  await runJobs(app.features.jobs);
}

async function runHourly(app: TestApp): Promise<void> {
  const hourly = new Set(['rewrite-todays-content', 'settle-todays-pairs']);
  for (const job of app.features.jobs) if (hourly.has(job.name)) await job.run();
}

/**
 * With `isTidied`, some people close comments, delete and report, and a moderator hides vents: actions that rewrite old
 * rows.
 */
export async function buildCommunity(
  app: TestApp,
  rows: pg.Pool,
  size: Size,
  { isTidied = false }: { readonly isTidied?: boolean } = {},
): Promise<Community> {
  const people: Person[] = [];
  const nameOf = (n: number) => `member_${n}`;
  for (let n = 0; n < size.people; n += 1) {
    const person = await makeUser(app);
    people.push(person);
    await callOk(app, changeUsername, { as: person, body: { newUsername: nameOf(n) } });
  }
  await watchWriters(rows);

  const [random, aside] = [seeded(42), seeded(7)];
  /** Chosen for each vent anew, whoever writes it. */
  const choosing = seeded(23);
  const subjects = ['work', 'family', 'love', 'health', 'money', 'study'];
  // The topics a person answers are independent of their own (SC-4, SC-35).
  const tastes = people.map(() => [random.pick(subjects), random.pick(subjects)]);
  const vents: Said[] = [];
  const standing = () => vents.filter(({ until }) => until > app.clock.now());
  const authorOf = new Map<string, string>();
  const comments = new Map<string, { by: string; at: number }>();
  const spoken = new Map<string, number>();
  /** The newest comment under each vent, if somebody else wrote it. */
  const newest = new Map<string, string>();
  let keysUsed = 0;
  /** The header as the web app sends it. */
  const idempotencyHeader = () => ({
    'idempotency-key': `mark-${(keysUsed += 1)}-${size.people}-0000`,
  });

  async function postVent(by: number): Promise<void> {
    const subject = random.pick(subjects);
    const emotion = random.pick(['Sad', 'Angry', 'Happy'] as const);
    const n = vents.length;
    const need = choosing.pick([undefined, ...needs]);
    // Few for a day: their comments go with them.
    const keepDays: KeepDays | undefined =
      choosing.below(20) === 0 ? 1 : choosing.pick([undefined, undefined, 7] as const);
    const body = {
      title: `Title ${n}`,
      text: `Words number ${n}`,
      emotion,
      hashtags: [subject],
      need,
      keepDays,
    };
    const { vent }: { vent: VentView | null } = await callOk(app, createVent, {
      as: people[by] as Person,
      body,
      headers: idempotencyHeader(),
    });
    const sealed = vent?._id ?? '';
    const id = String(app.deps.publicIds.vent.decode(sealed));
    const until = keepDays ? app.clock.now() + keepDays * 86_400_000 - 60_000 : Infinity;
    vents.push({ sealed, id, by, subject, takesComments: need !== 'hug', until });
    authorOf.set(id, nameOf(by));
  }
  async function comment(by: number, { sealed, id, takesComments }: Said, anonymous: boolean): Promise<void> {
    if (!takesComments) return;
    const body = { ventId: sealed, text: 'I hear you', anonymous };
    const answer = await app.call(commentOnVent, {
      as: people[by] as Person,
      body,
      headers: idempotencyHeader(),
    });
    if (answer.status === 403 && isTidied) return; // The author has closed comments.
    if (answer.status !== 201) throw new Error(answer.text);
    const place = spoken.get(id) ?? 0;
    spoken.set(id, place + 1);
    if (authorOf.get(id) === nameOf(by)) newest.delete(id);
    else newest.set(id, answer.body.comment._id);
    comments.set(`${id} ${place}`, { by: nameOf(by), at: app.clock.now() });
  }
  async function reactAndComment(by: number): Promise<void> {
    const [open, hugs] = [true, false].map((takesComments) =>
      standing().filter((vent) => vent.by !== by && vent.takesComments === takesComments),
    ) as [Said[], Said[]];
    const hugged = choosing.below(3) === 0 ? choosing.pick(hugs.slice(-10)) : undefined;
    if (hugged)
      await callOk(app, react, {
        as: people[by] as Person,
        body: { ventId: hugged.sealed, reactionType: 'hug', active: true },
      });
    const others = open.slice(-60);
    const liked = others.filter(({ subject }) => tastes[by]?.includes(subject));
    const vent = random.pick(liked.length > 0 ? liked : others);
    if (!vent) return;
    const as = people[by] as Person;
    const reactionType = random.pick(['heart', 'hug', 'listen'] as const);
    await callOk(app, react, { as, body: { ventId: vent.sealed, reactionType, active: true } });
    if (random.below(3) === 0) await comment(by, vent, random.below(4) === 0);
    if (isTidied && aside.below(20) === 0)
      await callOk(app, reportVent, { as, body: { ventId: vent.sealed, reason: 'Spam' } });
  }
  async function tidy(by: number): Promise<void> {
    const as = people[by] as Person;
    const own = standing().filter((vent) => vent.by === by);
    if (aside.below(60) === 0) await closeAll(app, as);
    // Deletes the newest comments of some vents, and closes these to whoever wrote them.
    for (const { id, sealed } of aside.below(4) === 0 ? own.slice(-3) : []) {
      const commentId = newest.get(id);
      if (commentId === undefined) continue;
      await callOk(app, closeToVoice, { as, params: { ventId: sealed, commentId } });
      newest.delete(id);
      const place = (spoken.get(id) ?? 1) - 1;
      spoken.set(id, place);
      comments.delete(`${id} ${place}`);
    }
    // Thanks for the newest comments of others.
    for (const { id, sealed } of aside.below(3) === 0 ? own.slice(-4) : []) {
      const commentId = newest.get(id);
      if (commentId === undefined) continue;
      const params = { ventId: sealed, commentId };
      await callOk(app, thankForComment, { as, params });
    }
    // Hides whoever answered last under their name, which writes a row of choices and may end a pair.
    const [lastId] = newest.values();
    const ventOf = [...newest].find(([, commentId]) => commentId === lastId)?.[0];
    const about = vents.find(({ id }) => id === ventOf);
    if (about && lastId !== undefined && aside.below(6) === 0)
      await app.call(hideFor, {
        as,
        body: { about: { kind: 'name', ventId: about.sealed, commentId: lastId } },
      });
    if (aside.below(15) > 0 || own.length < 3) return;
    // Their latest vent and an older one.
    for (const vent of [own.at(-1), aside.pick(own.slice(0, -1))]) {
      if (!vent) continue;
      vents.splice(vents.indexOf(vent), 1);
      await callOk(app, deleteVent, { as, params: { id: vent.sealed } });
    }
  }

  const visits = size.visitsADay * size.days;
  let waiting: number[] = [];
  for (let day = 0; day < size.days; day += 1) {
    await passNight(app);
    if (waiting.length === 0) waiting = random.shuffle(people.map((_, n) => n));
    for (const by of waiting.splice(0, size.visitsADay)) {
      app.clock.advance(60_000 * (size.gap[0] + random.below(size.gap[1])));
      await rows.query('update public.acting set who = $1, day = $2', [nameOf(by), day]);
      await callOk(app, getSelf, { as: people[by] as Person });
      const wished = Math.floor(size.vents / visits) + (random.below(visits) < size.vents % visits ? 1 : 0);
      const doings = random.shuffle([
        ...Array.from({ length: wished }, () => postVent),
        ...Array.from({ length: 3 }, () => reactAndComment),
      ]);
      for (const doing of doings) {
        app.clock.advance(random.below(90_000));
        await doing(by);
      }
      const own =
        random.below(3) === 0
          ? standing().findLast((vent) => vent.by === by && vent.takesComments)
          : undefined;
      if (own) await comment(by, own, false);
      if (isTidied) await tidy(by);
      await rows.query(`update public.acting set who = ''`);
      // A worker runs about every hour.
      if (aside.below(5) === 0) await runHourly(app);
      if (isTidied && aside.below(15) === 0) {
        const seen = aside.pick(vents);
        vents.splice(vents.indexOf(seen), 1);
        await hide(rows, seen.id);
      }
    }
  }
  const evening = await dump(rows);
  await passNight(app);
  return {
    truth: { authorOf, comments, ...(await readWriters(rows)) },
    // A new account, because an unused session expires after two weeks.
    site: await readSite(app, await makeUser(app)),
    evening,
    night: await dump(rows),
  };
}
