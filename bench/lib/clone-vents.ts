import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { syllables, vocabulary, wordAt } from '../../server/seed/benchmark-texts.ts';
import { soundsOfVent } from '../../server/src/content/search/search-terms.ts';
import type { TurningLabel } from '../../server/src/platform/crypto/key-labels.ts';
import type { Keys } from '../../server/src/platform/crypto/keys.ts';
import { growthPower, seedSpanDays } from '../../server/seed/vents.ts';
import { readKeys } from './data-keys.ts';
import { psql } from './psql.ts';

/**
 * Multiplies seeded vents inside PostgreSQL, several times as fast as seeding. Each round inserts every seeded vent once
 * more, with newly drawn rare words, so that the share of vents with a word does not depend on their number. Each vent
 * keeps its author in exactly one round, the oldest vents in the first; in the others its keys are random bytes. So
 * people have the same number of vents at every size, in the same order and spread over the whole time, and the newest
 * page is the same at every size.
 */

const drawnWords = 3;

/** Uniform in [0, 1), deterministic by vent: two tables are filled in parallel and must agree. */
const chance = (id: string, turn: number) =>
  `((hashint8extended(${id}, ${turn}) >> 11) & ((1::bigint << 52) - 1))::float8 / (1::bigint << 52)`;

function wordFunction(): string {
  const parts = [0, 4, 8, 12].map(
    (shift) => `(array['${syllables.join(`','`)}'])[1 + ((rank >> ${shift}) & 15)]`,
  );
  return `create function bench_source.word(rank integer) returns text language sql immutable
    as $$ select ${parts.join(' || ')} $$;`;
}

/** The sound lexemes of every word that can be drawn. The server computes them in TypeScript. */
function soundTable(): string {
  const rows = Array.from({ length: vocabulary + 1 }, (_, rank) => {
    const sounds = soundsOfVent({ title: wordAt(rank), body: '', hashtags: [] });
    return `(${rank}, $$${sounds}$$)`;
  });
  return `create table bench_source.sounds (rank integer primary key, sounds tsvector);
    insert into bench_source.sounds values ${rows.join()};`;
}

/** The last words of a text, with their sounds. */
const drawnLexemes = (body: string) => `(
  select array_agg(word) || coalesce(array_agg(lexeme) filter (where lexeme is not null), '{}')
    from regexp_split_to_table(ltrim(substring(${body} from '(?: \\S+){${drawnWords}}$')), ' ') as word
    left join bench_source.ranks using (word)
    left join lateral (select lexeme from bench_source.sounds cross join unnest(tsvector_to_array(sounds)) as lexeme
                        where sounds.rank = ranks.rank) as heard on true)`;

/**
 * `speakers.ts` in SQL: a speaker opened at its place, and the same one at another. A cloned row has another place, and a
 * speaker that was copied would belong to nobody.
 */
function speakerFunctions(keys: Keys): string {
  const key = (label: TurningLabel) => `'\\x${keys.ring(label)[0].toString('hex')}'::bytea`;
  const voiceKey = `case voice ${(['vent', 'named', 'anonymous', 'author'] as const)
    .map((voice) => `when '${voice}' then ${key(`speaker-${voice}/1`)}`)
    .join(' ')} end`;
  const half = (bytes: string, from: number) =>
    `('x' || encode(substring(${bytes}, ${from}, 8), 'hex'))::bit(64)::bigint`;
  const cipher = (name: string, call: string) => `
    create function bench_source.${name}(block bytea, voice text, vent_id bigint, no integer) returns bytea
      language sql immutable parallel safe as $$
      select bench_source.xor(public.${call}(bench_source.xor(block, mask), ${voiceKey}, 'aes-ecb/pad:none'), mask)
        from public.encrypt(int8send(vent_id) || int8send(no), ${key('speaker-place/1')}, 'aes-ecb/pad:none') as mask $$;`;
  return `create extension if not exists pgcrypto with schema public;
    create function bench_source.xor(a bytea, b bytea) returns bytea language sql immutable parallel safe as
      $$ select int8send(${half('a', 1)} # ${half('b', 1)}) || int8send(${half('a', 9)} # ${half('b', 9)}) $$;
    ${cipher('opened', 'decrypt')}${cipher('sealed', 'encrypt')}`;
}

/** Copies the vents to a separate schema and empties the tables. People stay. */
const moveAside = (keys: Keys) => `
  create schema bench_source;
  ${wordFunction()}
  ${speakerFunctions(keys)}
  ${soundTable()}
  create table bench_source.ranks as select min(rank) as rank, bench_source.word(rank) as word from bench_source.sounds group by 2;
  create unique index on bench_source.ranks (word);
  analyze bench_source.ranks;
  create table bench_source.vents as
    select row_number() over (order by vent.id) as k, vent.id,
           bench_source.opened(vent.speaker, 'vent', vent.id, 0) as speaker, vent.slot_key, vent.emotion, vent.title,
           vent.hashtags, regexp_replace(vent.body, '( \\S+){${drawnWords}}$', '') as body,
           ts_delete(search.words, ${drawnLexemes('vent.body')}) as words,
           stats.heart, stats.hug, stats.listen, stats.comments, stats.last_no, stats.allow_comments, stats.answers, vent.language
      from content.vents as vent
      join content.vent_search as search on search.vent_id = vent.id
      join content.vent_stats as stats on stats.vent_id = vent.id
     where vent.state = 'visible';
  create table bench_source.reactions as
    select k, reactor_key, kind from content.reactions join bench_source.vents on id = vent_id order by k;
  create table bench_source.comments as
    select k, no, voice, bench_source.opened(comment.speaker, voice, vent_id, no) as speaker, comment.slot_key, comment.body
      from content.comments as comment join bench_source.vents as vent on vent.id = vent_id order by k, no;
  create table bench_source.newest as select max(created_at) as at from content.vents;
  analyze bench_source.vents;
  truncate content.vents cascade;`;

interface Round {
  readonly round: number;
  readonly rounds: number;
  readonly seeded: number;
}

const idIn = ({ round, seeded }: Round) => `${round}::bigint * ${seeded} + k`;
const atIn = ({ rounds, seeded }: Round, id: string) =>
  `date_trunc('minute', (select at from bench_source.newest) - interval '${seedSpanDays} days' * (1 - power((${id})::float8 / ${rounds * seeded}, ${growthPower})), 'UTC')`;
const otherKey = (key: string, { round }: Round) =>
  `decode(md5(${key} || '\\x${round.toString(16).padStart(4, '0')}'), 'hex')`;
const isTheirs = ({ round, rounds, seeded }: Round) => `(k - 1) * ${rounds} / ${seeded} = ${round}`;
/** The author's key in one round, random bytes in the others. */
const keyIn = (round: Round, key: string) =>
  `case when ${isTheirs(round)} then ${key} else ${otherKey(key, round)} end`;
const speakerIn = (
  round: Round,
  { voice, no, always = 'false' }: Record<'voice' | 'no', string> & { always?: string },
) =>
  `case when ${always} or ${isTheirs(round)} then bench_source.sealed(speaker, ${voice}, ${idIn(round)}, ${no})
        else ${otherKey('speaker', round)} end`;

const idAndWords = (round: Round) => `(
  select *, ${Array.from({ length: drawnWords }, (_, n) => `bench_source.word(rank_${n}) as word_${n}`).join(', ')}
    from (select *, ${Array.from(
      { length: drawnWords },
      (_, n) => `floor(exp(${chance(idIn(round), n)} * ln(${vocabulary})))::integer as rank_${n}`,
    ).join(', ')} from bench_source.vents offset 0) as ranked) as drawn`;

const ventsOf = (round: Round) => `
  insert into content.vents (id, speaker, slot_key, emotion, title, body, hashtags, created_at, language) overriding system value
  select ${idIn(round)}, ${speakerIn(round, { voice: `'vent'`, no: '0' })}, ${keyIn(round, 'slot_key')}, emotion, title,
         concat_ws(' ', body, word_0, word_1, word_2), hashtags, ${atIn(round, idIn(round))}, language
    from ${idAndWords(round)} order by k;`;

const searchOf = (round: Round) => `
  insert into content.vent_search (vent_id, words)
  select ${idIn(round)},
         words || concat_ws(' ', word_0 || ':1', word_1 || ':2', word_2 || ':3')::tsvector${Array.from({ length: drawnWords }, (_, n) => ` || sounds_${n}.sounds`).join('')}
    from ${idAndWords(round)}${Array.from({ length: drawnWords }, (_, n) => ` join bench_source.sounds as sounds_${n} on sounds_${n}.rank = rank_${n}`).join('')}
   order by k;`;

const statsOf = (round: Round) => `
  insert into content.vent_stats (vent_id, heart, hug, listen, comments, last_no, allow_comments, answers)
  select ${idIn(round)}, heart, hug, listen, comments, last_no, allow_comments, answers from bench_source.vents order by k;`;

const reactionsOf = (round: Round) => `
  insert into content.reactions (vent_id, reactor_key, kind, is_fresh)
  select ${idIn(round)}, ${otherKey('reactor_key', round)}, kind, false from bench_source.reactions order by k;`;

/** Named speakers are in every round: each page looks up their names. */
const commentsOf = (round: Round) => `
  insert into content.comments (vent_id, no, voice, speaker, slot_key, body, said_on, is_fresh)
  select ${idIn(round)}, no, voice, ${speakerIn(round, { voice: 'voice', no: 'no', always: `voice = 'named'` })},
         ${keyIn(round, 'slot_key')}, body, (${atIn(round, idIn(round))} at time zone 'Asia/Kolkata')::date, false
    from bench_source.comments order by k, no;`;

/** Sorted inserts: in random order each row would touch another page of a large index. */
const moreTakenSlots = (rounds: number) => `
  insert into content.taken_slots
  select decode(md5('taken ' || n), 'hex')
    from generate_series(1, ${rounds - 1} * (select count(*) from content.taken_slots)) as n order by 1;`;

/** Keeps the ratio of people to vents. Their seals and facts fit nothing: nobody signs in as one of them. */
const morePeople = (rounds: number) => `
  insert into identity.users (id, username, bio, interests, likes, dislikes, feelings, match_preference,
                              profile_completed, avatar_seed, author_seed, speaker_id, seal, facts, look_on)
  select (random() * 4e15)::bigint + 1, 'p_' || left(md5(person.id || ' ' || round), 16), bio, interests, likes, dislikes, feelings,
         match_preference, true, avatar_seed,
         sha256(convert_to(person.id || ' ' || round, 'UTF8')), substring(decode(md5(person.id || ' ' || round), 'hex'), 1, 8),
         seal, facts, look_on
    from identity.users as person, generate_series(1, ${rounds - 1}) as round;`;

const advanceSequence = `
  select setval(pg_get_serial_sequence('content.vents', 'id'), (select max(id) from content.vents));`;

/** Skips foreign key checks: the generated rows satisfy them. */
const loaderSettings = `set session_replication_role = replica; set synchronous_commit = off; set work_mem = '256MB';
  set maintenance_work_mem = '1GB'; set jit = off; set client_min_messages = warning;`;

/** Runs statements in sequence on one connection. */
async function runLane(url: string, statements: readonly string[]): Promise<void> {
  const child = spawn('psql', [url, '-qXAtv', 'ON_ERROR_STOP=1', '-o', '/dev/null'], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  child.stdin.end([loaderSettings, ...statements].join('\n'));
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error('cloning vents failed');
}

interface IndexOfTable {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

function secondaryIndexes(url: string): IndexOfTable[] {
  const found = psql(
    url,
    `select tablename, format('%I.%I', schemaname, indexname), indexdef from pg_indexes
      where schemaname = 'content' and not exists (select 1 from pg_constraint where conname = indexname)`,
  );
  return found.split('\n').map((line) => {
    const [table = '', name = '', definition = ''] = line.split('|');
    return { table, name, definition };
  });
}

/** Multiplies the vents of a freshly seeded database by `rounds`. */
export async function cloneVents(url: string, rounds: number): Promise<void> {
  const indexes = secondaryIndexes(url);
  const seeded = Number(psql(url, `select count(*) from content.vents where state = 'visible'`));
  await runLane(url, [
    moveAside(await readKeys(url)),
    morePeople(rounds),
    ...indexes.map(({ name }) => `drop index ${name};`),
  ]);
  const all = Array.from({ length: rounds }, (_, round): Round => ({ round, rounds, seeded }));
  const indexesOf = (...tables: string[]) =>
    indexes.filter(({ table }) => tables.includes(table)).map(({ definition }) => `${definition};`);
  const others = indexes.filter(({ table }) => !['vent_search', 'vents', 'comments'].includes(table));
  await Promise.all([
    runLane(url, [...all.map(searchOf), ...indexesOf('vent_search'), 'vacuum analyze content.vent_search;']),
    runLane(url, [
      ...all.map(ventsOf),
      advanceSequence,
      ...indexesOf('vents'),
      ...all.map(statsOf),
      ...all.map(commentsOf),
      ...indexesOf('comments'),
      moreTakenSlots(rounds),
      ...all.map(reactionsOf),
      ...others.map(({ definition }) => `${definition};`),
    ]),
  ]);
  psql(url, 'drop schema bench_source cascade');
  psql(url, 'vacuum analyze');
}
