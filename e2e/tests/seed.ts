import { execFileSync } from 'node:child_process';
import { repo, testEnv } from '../test-env.ts';

/** Vents and comments of other people, inserted straight into the database and older than what the journeys post. */

function run(
  sql: string,
  values: Readonly<Record<string, string>>,
  schema: 'content' | 'identity' | 'moderation' = 'content',
): void {
  const set = Object.entries(values).flatMap(([name, value]) => ['-v', `${name}=${value}`]);
  execFileSync('psql', [testEnv.ownerUrlOf(schema), '-q', '-v', 'ON_ERROR_STOP=1', ...set], { input: sql });
}

/** Changes rows that are sealed or encrypted. */
function age(schema: 'identity' | 'moderation', ...what: readonly string[]): void {
  execFileSync(process.execPath, [`${repo}tools/age-rows.ts`, ...what], {
    env: { ...testEnv.server, DATABASE_URL: testEnv.ownerUrlOf(schema) },
  });
}

/** A key that belongs to no account. */
const nobody = `decode(md5(random()::text), 'hex')`;

/** A vent is found by these words and its feeling. */
const searchWords = (words: string) =>
  `to_tsvector('simple', ${words}) || array_to_tsvector(array['=' || emotion])`;

/** `<title> 1` is the newest; each is an hour older than the one before. Inserted oldest first: search goes by id. */
export function seedVents(title: string, count: number): void {
  run(
    `with made as (
       insert into content.vents (speaker, slot_key, emotion, title, body, created_at)
       select ${nobody}, ${nobody}, 'Neutral', :'title' || ' ' || n, 'Said long ago.',
              date_trunc('minute', now(), 'UTC') - interval '200 days' - n * interval '1 hour'
         from generate_series(:count, 1, -1) n
       returning id, title, emotion),
     counted as (insert into content.vent_stats (vent_id) select id from made)
     insert into content.vent_search (vent_id, words)
     select id, ${searchWords('content.folded(title)')} from made`,
    { title, count: String(count) },
  );
}

/** Anonymous comments on the vent of that title. */
export function seedComments(title: string, ...texts: readonly string[]): void {
  for (const text of texts) {
    run(
      `with counted as (
         update content.vent_stats set comments = comments + 1, last_no = last_no + 1
          where vent_id = (select id from content.vents where title = :'title')
         returning vent_id, last_no)
       insert into content.comments (vent_id, no, voice, speaker, slot_key, body, said_on)
       select vent_id, last_no, 'anonymous', ${nobody}, ${nobody}, :'text', (now() at time zone 'Asia/Kolkata')::date
         from counted`,
      { title, text },
    );
  }
}

/** A week went by since somebody thanked for comments on the vent of that title. */
export function showThanks(title: string): void {
  run(
    `update content.thanks set shown_from = shown_from - 7
      where vent_id = (select id from content.vents where title = :'title')`,
    { title },
  );
}

/**
 * Matching finds nobody of those who are here. It looks at a sample of 150 people without feelings, and so many journeys
 * leave more behind.
 */
export function leaveOthersUnfound(): void {
  run(`update identity.users set look_on = '2020-01-01'`, {}, 'identity');
}

/** Dates the feelings of the person of that name back. */
export function ageFeelings(username: string): void {
  age('identity', 'feelings', username);
}

/** Three days went by since someone asked for an account with a recovery code. */
export function endRecoveryWaits(): void {
  age('identity', 'waits');
}

/** The vent of that title was posted so many minutes ago. */
export function ageVent(title: string, minutes: number): void {
  run(
    `update content.vents set created_at = date_trunc('minute', now(), 'UTC') - :minutes * interval '1 minute'
      where title = :'title'`,
    { title, minutes: String(minutes) },
  );
}

/** The search word of the vents in the pictures. No reader sees it. */
export const pictureWord = 'forpictures';
/** The time in the pictures. */
export const pictureTime = new Date('2026-03-04T02:00:00+05:30');

/** The same few vents for every picture, at fixed times. Inserted once, however often it is called. */
export function seedPictures(): void {
  run(
    `begin;
     select pg_advisory_xact_lock(hashtext(:'word'));
     create temporary table sown on commit drop as
     select * from (values
       (1, 'Anxious', 'Result kal hai aur dar lag raha hai', 'I study till three and still feel like I know nothing. My parents keep asking about rank and I just smile.', '{exams,परिवार,NEET}', 4, 8, 13, 5),
       (2, 'Sad', 'The flat is so quiet', 'She left on Tuesday. I still put two cups out.', '{loneliness}', 11, 26, 31, 40),
       (3, 'Happy', 'छोटी सी जीत', 'आज पहली बार लगा कि मैं अकेला नहीं हूँ। मैंने मैनेजर को ना कहा, और कुछ नहीं टूटा।', '{काम,small wins}', 102, 12, 3, 190),
       (4, 'Burnout', 'Third weekend at the office', 'I cannot open the laptop without my hands getting cold.', '{work}', 0, 3, 7, 1500),
       (5, 'Neutral', 'Rain again', 'Writing so I do not forget how the street smelled.', '{}', 2, 0, 1, 4300)
     ) as said (n, emotion, title, body, hashtags, heart, hug, listen, minutes)
     where not exists (select from content.vent_search where words @@ to_tsquery('simple', :'word'));
     insert into content.vents (speaker, slot_key, emotion, title, body, hashtags, created_at)
     select ${nobody}, ${nobody}, emotion, title, body, hashtags::text[],
            :'now'::timestamptz - minutes * interval '1 minute' from sown order by n desc;
     insert into content.vent_stats (vent_id, heart, hug, listen, comments, last_no)
     select id, heart, hug, listen, case n when 1 then 3 else 0 end, case n when 1 then 3 else 0 end from sown join content.vents using (title, body);
     insert into content.vent_search (vent_id, words)
     select id, ${searchWords(`:'word'`)} from sown join content.vents using (title, body, emotion);
     insert into content.comments (vent_id, no, voice, speaker, slot_key, body, said_on)
     select id, at, voice, ${nobody}, ${nobody}, said, (created_at at time zone 'Asia/Kolkata')::date
       from sown join content.vents using (title, body),
            (values (1, 'I''ve been there. It took me a year, and it did get lighter.', 'anonymous'),
                    (2, 'Same here yaar, ek ek din.', 'anonymous'),
                    (3, 'Thank you. I will try to sleep now.', 'author')) as answer (at, said, voice)
      where n = 1 order by at;
     commit;`,
    { word: pictureWord, now: pictureTime.toISOString() },
  );
}

/** Every moderator's last passkey proof is too old for bans, reversals and orders. */
export function ageProofs(): void {
  age('moderation', 'proofs');
}

/** Moderators may read so many severe texts a day. Those who are added later have the usual number. */
export function limitSevereTexts(perDay: number): void {
  run(`update moderation.moderators set severe_per_day = :perday`, { perday: String(perDay) }, 'moderation');
}

/** Closes what earlier journeys of this worker left in the queue, as if the items were gone. */
export function emptyQueue(): void {
  run(
    `update moderation.cases
        set state = 'closed', outcome = coalesce(outcome, 'moot'), decided_at = coalesce(decided_at, now()),
            purge_at = now() + interval '30 days', leased_by = null, leased_until = null
      where state in ('open', 'escalated', 'appealed')`,
    {},
    'moderation',
  );
}

/** Ten minutes went by since somebody took the case. */
export function endLease(caseId: string): void {
  run(`update moderation.cases set leased_until = now() where id = :id`, { id: caseId }, 'moderation');
}
