import { createVent } from '@unsaid/contract';
import { readConfig } from '../../server/src/config.ts';
import { buildDeps } from '../../server/src/deps.ts';
import { ventPlace } from '../../server/src/kernel/speakers.ts';
import { preparedSql } from '../../server/src/platform/prepared-sql.ts';
import { repo } from '../../testkit/server-process.ts';
import { findServices } from '../../tools/services.ts';
import { createClient, type Client } from './client.ts';
import { findAccount } from './open-sessions.ts';
import { psql } from './psql.ts';
import { signIn, startTestServer, type TestServer } from './test-server.ts';
import { readMark, seedDatabase, urlOf, writeMark } from './vent-databases.ts';

/**
 * One database for each of two checkouts, filled by its own seed. Each has authors with 1, 100 and 5,000 vents
 * among those of other people; a fifth of what they wrote is deleted.
 */

export interface Side {
  readonly name: 'old' | 'new';
  readonly tree: string;
  readonly database: string;
  readonly vents: number;
}

export function sidesOf(oldTree: string, vents: number): readonly Side[] {
  return [
    { name: 'old', tree: oldTree, database: `unsaid_bench_old_${vents}`, vents },
    { name: 'new', tree: repo, database: `unsaid_bench_new_${vents}`, vents },
  ];
}

/** `own` vents are left of `written`. `most` are the targets of their calls: p50 in milliseconds. */
const all = [
  {
    own: 5000,
    written: 6250,
    phone: '+919910000003',
    most: { list: 10, weather: 15, search: 40, export: 150 },
  },
  { own: 100, written: 125, phone: '+919910000002', most: { list: 6, weather: 6, search: 6, export: 6 } },
  { own: 1, written: 1, phone: '+919910000001', most: { list: 6, weather: 6, search: 6, export: 6 } },
] as const;
type Author = (typeof all)[number];
/** Without those who wrote more than an eighth of all vents. */
export const authorsOf = (vents: number): readonly Author[] =>
  all.filter(({ written }) => 8 * written <= vents);

/** Assigns seeded vents of the last 80 days to the author, in order. Every fifth counts as deleted. */
async function addAuthor(server: TestServer, client: Client, { phone, written }: Author): Promise<void> {
  const token = await signIn(server, client, phone);
  const chosen = server.sql(
    `select id from (select id from content.vents where created_at > now() - interval '80 days' and state = 'visible'
                      order by md5(id || '${phone}') limit ${written}) as drawn order by id`,
  );
  const ventIds = chosen.map(([id = '']) => id);
  const [isOneKey] = server.sql(
    `select 1 from information_schema.columns where table_name = 'vents' and column_name = 'author_key'`,
  );
  if (isOneKey) await giveByKey(server, client, token, ventIds.filter(isKept));
  else await giveBySlots(server, token, ventIds);
}

const isKept = (_: unknown, index: number) => (index + 1) % 5 !== 0;

/** Schema before slots: all vents of an author have one key, which the server of that checkout computes. */
async function giveByKey(server: TestServer, client: Client, token: string, ventIds: readonly string[]) {
  const body = { title: 'First', text: 'It tells the key.', emotion: 'Sad' } as const;
  await client.call(createVent, { token, body });
  const newest = '(select max(id) from content.vents)';
  psql(
    server.databaseUrl,
    `update content.vents set author_key = (select author_key from content.vents where id = ${newest})
      where id = any('{${ventIds.join()}}');
     delete from content.vents where id = ${newest}`,
  );
}

async function giveBySlots({ databaseUrl }: TestServer, token: string, ventIds: readonly string[]) {
  const env = { ...findServices(), NODE_ENV: 'test', DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn' };
  const deps = await buildDeps({ ...readConfig(env), databaseTimeoutMs: 0 });
  const { databases: db, persons, speakers, close } = deps;
  try {
    const person = persons(await findAccount(deps, token));
    const numbers = ventIds.map((_, index) => index + 1);
    const speakerOf = (number: number) =>
      speakers.encrypt(ventPlace(BigInt(ventIds[number - 1] as string)), person.speakerId, number);
    await preparedSql`insert into content.taken_slots select * from unnest(${person.takenKeys('vent', numbers)}::bytea[]) on conflict do nothing`.rows(
      db.content,
    );
    await preparedSql`
      update content.vents as vent set slot_key = given.slot_key, speaker = given.speaker
        from unnest(${ventIds.filter(isKept)}::bigint[], ${person.slotKeys('vent', numbers.filter(isKept))}::bytea[],
                    ${numbers.filter(isKept).map(speakerOf)}::bytea[]) as given (id, slot_key, speaker)
       where vent.id = given.id`.rows(db.content);
  } finally {
    await close();
  }
}

export const startSide = ({ tree, database }: Side): Promise<TestServer> =>
  startTestServer(database, { database, tree, env: { SERVICES: 'api' } });

export async function fillSide(side: Side): Promise<void> {
  const { name, tree, database, vents } = side;
  const seeded = `${vents} vents`;
  const filled = `${vents} vents and the authors`;
  if (readMark(database) === filled) return;
  const begunAt = performance.now();
  if (readMark(database) !== seeded) seedDatabase(database, vents, tree);
  writeMark(database, seeded);
  const server = await startSide(side);
  const client = createClient(server.port, 1);
  try {
    for (const author of authorsOf(vents)) await addAuthor(server, client, author);
  } finally {
    client.close();
    await server.stop();
  }
  // Updated rows moved to the end of the table: cluster puts them back.
  psql(urlOf(database), 'cluster content.vents using vents_pkey');
  psql(urlOf(database), 'vacuum analyze');
  writeMark(database, filled);
  console.log(`${name}: filled in ${((performance.now() - begunAt) / 1000).toFixed(0)} s`);
}
