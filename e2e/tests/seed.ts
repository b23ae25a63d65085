import { execFileSync } from 'node:child_process';
import { stage } from '../stage.ts';

/** What other people said long ago, put straight into the database: beneath everything the tests themselves post. */

function run(sql: string, values: Readonly<Record<string, string>>): void {
  const set = Object.entries(values).flatMap(([name, value]) => ['-v', `${name}=${value}`]);
  execFileSync('psql', [stage.databaseUrl, '-q', '-v', 'ON_ERROR_STOP=1', ...set], { input: sql });
}

/** `<title> 1` is the newest of them, each an hour older than the one before. */
export function seedVents(title: string, count: number): void {
  run(
    `with made as (
       insert into content.vents (author_key, emotion, title, body, created_at)
       select decode(md5(random()::text), 'hex'), 'Neutral', :'title' || ' ' || n, 'Said long ago.',
              now() - interval '200 days' - n * interval '1 hour'
         from generate_series(1, :count) n
       returning id, title, created_at),
     counted as (insert into content.vent_stats (vent_id) select id from made)
     insert into content.vent_search (vent_id, created_at, words)
     select id, created_at, to_tsvector('simple', content.folded(title)) from made`,
    { title, count: String(count) },
  );
}

/** Under the vent of that title, by somebody without a name. */
export function seedComments(title: string, ...texts: readonly string[]): void {
  for (const text of texts) {
    run(
      `with vent as (select id from content.vents where title = :'title'),
       counted as (update content.vent_stats set comments = comments + 1 where vent_id = (select id from vent))
       insert into content.comments (vent_id, writer_key, is_author, body, created_at)
       select id, decode(md5(random()::text), 'hex'), false, :'text', now() from vent`,
      { title, text },
    );
  }
}
