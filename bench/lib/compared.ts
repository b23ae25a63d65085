import { fileURLToPath } from 'node:url';
import { createVent } from '@unsaid/contract';
import { readConfig } from '../../server/src/config.ts';
import { buildDeps } from '../../server/src/deps.ts';
import { statement } from '../../server/src/platform/db.ts';
import { createClient, type Client } from './client.ts';
import { psql } from './crowd.ts';
import { signIn, startStage, type Stage } from './stage.ts';
import { readMark, seedDatabase, services, urlOf, writeMark } from './vent-databases.ts';

/**
 * A database of each of two checkouts, filled with its own seed; and in each, three authors with 1, 100 and 5,000 vents
 * of their own, a fifth of what they ever wrote deleted, scattered among those of everybody else.
 */

const here = fileURLToPath(new URL('../..', import.meta.url));

export interface Side {
  readonly name: 'old' | 'new';
  readonly tree: string;
  readonly database: string;
  readonly vents: number;
}

export function sidesOf(oldTree: string, vents: number): readonly Side[] {
  return [
    { name: 'old', tree: oldTree, database: `unsaid_cmp_old_${vents}`, vents },
    { name: 'new', tree: here, database: `unsaid_cmp_new_${vents}`, vents },
  ];
}

/** How many they have and how many they ever wrote, and what a call may take them: p50 in milliseconds. */
export const authors = [
  {
    own: 5000,
    written: 6250,
    phone: '+919910000003',
    most: { list: 10, weather: 15, search: 40, export: 150 },
  },
  { own: 100, written: 125, phone: '+919910000002', most: { list: 6, weather: 6, search: 6, export: 6 } },
  { own: 1, written: 1, phone: '+919910000001', most: { list: 6, weather: 6, search: 6, export: 6 } },
] as const;
type Author = (typeof authors)[number];

/** Gives them seeded vents of the last 80 days, in their order; every fifth number is one they deleted. */
async function addAuthor(stage: Stage, client: Client, { phone, written }: Author): Promise<void> {
  const token = await signIn(stage, client, phone);
  const chosen = stage.sql(
    `select id from (select id from content.vents where created_at > now() - interval '80 days' and state = 'visible'
                      order by md5(id || '${phone}') limit ${written}) as drawn order by id`,
  );
  const ventIds = chosen.map(([id = '']) => id);
  const [isOneKey] = stage.sql(
    `select 1 from information_schema.columns where table_name = 'vents' and column_name = 'author_key'`,
  );
  if (isOneKey) await giveByKey(stage, client, token, ventIds.filter(isKept));
  else await giveBySlots(stage, ventIds);
}

const isKept = (_: unknown, index: number) => (index + 1) % 5 !== 0;

/** As it was before slots: all vents of an author had one key, which the author's own server makes. */
async function giveByKey(stage: Stage, client: Client, token: string, ventIds: readonly string[]) {
  const body = { title: 'First', text: 'It tells the key.', emotion: 'Sad' } as const;
  await client.call(createVent, { token, body });
  const newest = '(select max(id) from content.vents)';
  psql(
    stage.databaseUrl,
    `update content.vents set author_key = (select author_key from content.vents where id = ${newest})
      where id = any('{${ventIds.join()}}');
     delete from content.vents where id = ${newest}`,
  );
}

async function giveBySlots({ databaseUrl }: Stage, ventIds: readonly string[]): Promise<void> {
  const env = { ...services, NODE_ENV: 'test', DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn' };
  const { db, persons, speakers, close } = await buildDeps(readConfig(env), { statementTimeoutMs: 0 });
  try {
    // Whoever signed in last.
    const row = await db.identity
      .selectFrom('identity.sessions as session')
      .innerJoin('identity.users as user', 'user.id', 'session.userId')
      .select(['user.authorSeed', 'user.speakerId'])
      .orderBy('session.id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow();
    const person = persons(row);
    const numbers = ventIds.map((_, index) => index + 1);
    const speakerOf = (number: number) => speakers.encrypt('vent', person.speakerId, number);
    await statement`insert into content.taken_slots select * from unnest(${person.takenKeys('vent', numbers)}::bytea[]) on conflict do nothing`.rows(
      db.content,
    );
    await statement`
      update content.vents as vent set slot_key = given.slot_key, speaker = given.speaker
        from unnest(${ventIds.filter(isKept)}::bigint[], ${person.slotKeys('vent', numbers.filter(isKept))}::bytea[],
                    ${numbers.filter(isKept).map(speakerOf)}::bytea[]) as given (id, slot_key, speaker)
       where vent.id = given.id`.rows(db.content);
  } finally {
    await close();
  }
}

export const startSide = ({ tree, database }: Side, port: number): Promise<Stage> =>
  startStage(database, port, { NODE_ENV: 'test', SERVICES: 'api' }, database, tree);

export async function fillSide(side: Side, port: number): Promise<void> {
  const { name, tree, database, vents } = side;
  const seeded = `${vents} vents`;
  const filled = `${vents} vents and three authors`;
  if (readMark(database) === filled) return;
  const begunAt = performance.now();
  if (readMark(database) !== seeded) seedDatabase(database, vents, tree);
  writeMark(database, seeded);
  const stage = await startSide(side, port);
  const client = createClient(port, 1);
  try {
    for (const author of authors) await addAuthor(stage, client, author);
  } finally {
    client.close();
    await stage.stop();
  }
  // What was exchanged moved to the end of its table: back among the others.
  psql(urlOf(database), 'cluster content.vents using vents_pkey');
  psql(urlOf(database), 'vacuum analyze');
  writeMark(database, filled);
  console.log(`${name}: filled in ${((performance.now() - begunAt) / 1000).toFixed(0)} s`);
}
