import { fileURLToPath } from 'node:url';
import { createVent } from '@unsaid/contract';
import { createClient, type Client } from './client.ts';
import { psql } from './crowd.ts';
import { signIn, startStage, type Stage } from './stage.ts';
import { readMark, seedDatabase, urlOf, writeMark } from './vent-databases.ts';

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

/** Written through the server, so that each checkout makes its own keys; then exchanged for seeded vents of 80 days. */
async function addAuthor(stage: Stage, client: Client, { phone, written }: Author): Promise<void> {
  const token = await signIn(stage, client, phone);
  const [[newest = '0'] = []] = stage.sql('select max(id) from content.vents');
  for (let n = 0; n < written; n += 1) {
    const body = { title: `Mine ${n}`, text: `What I wrote, number ${n}`, emotion: 'Sad' } as const;
    const { status } = await client.call(createVent, { token, body });
    if (status !== 201) throw new Error(`a vent was answered with ${status}`);
  }
  const [[columns = ''] = []] = stage.sql(
    `select string_agg(column_name, ', ') from information_schema.columns where table_schema = 'content'
        and table_name = 'vents' and column_name in ('author_key', 'speaker', 'slot_key')`,
  );
  psql(
    stage.databaseUrl,
    `create temporary table mine as
       select row_number() over (order by id) as n, ${columns} from content.vents where id > ${newest};
     delete from content.vents where id > ${newest};
     create temporary table theirs as
       select row_number() over (order by id) as n, id
         from (select id from content.vents where created_at > now() - interval '80 days' and state = 'visible'
                order by md5(id || '${phone}') limit ${written}) as some;
     update content.vents as vent set (${columns}) = (select ${columns} from mine where mine.n = theirs.n)
       from theirs where vent.id = theirs.id and theirs.n % 5 <> 0`,
  );
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
