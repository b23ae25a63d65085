import { getVent } from '@unsaid/contract';
import { createClient } from '../client.ts';
import type { Remembered } from '../writers.ts';

/** Looks up acknowledged writes in the tables and in what each client is shown. */

export interface Checked {
  readonly lost: number;
  readonly twice: number;
  /** Vents whose counters differ from the rows they count. */
  readonly miscounted: number;
}

type Sql = (text: string) => string;

interface Where {
  readonly sql: Sql;
  readonly port: number;
  readonly tokens: readonly string[];
  readonly ventId: string;
}

function countWords(sql: Sql, words: readonly string[]): { lost: number; twice: number } {
  const found = new Map<string, number>();
  for (let done = 0; done < words.length; done += 500) {
    const list = words
      .slice(done, done + 500)
      .map((text) => `'${text}'`)
      .join(',');
    const rows = sql(
      `select body || '|' || count(*) from (
         select body from content.vents union all select body from content.comments) as said
        where body in (${list}) group by body`,
    );
    for (const row of rows.split('\n').filter(Boolean)) {
      const [text = '', times = '0'] = row.split('|');
      found.set(text, Number(times));
    }
  }
  return {
    lost: words.filter((text) => !found.has(text)).length,
    twice: [...found.values()].filter((times) => times > 1).length,
  };
}

/** Reactions that differ from the last acknowledged state. */
async function countWrongReactions(
  { port, tokens, ventId }: Where,
  { reactions }: Pick<Remembered, 'reactions'>,
): Promise<number> {
  const client = createClient(port, 1);
  let wrong = 0;
  for (const [position, token] of tokens.entries()) {
    const { body } = await client.call(getVent, { token, params: { id: ventId } });
    for (const [kind, isActive] of reactions[position] ?? [])
      if (body.vent.myReactions.includes(kind) !== isActive) wrong += 1;
  }
  client.close();
  return wrong;
}

function countMiscounted(sql: Sql): number {
  return Number(
    sql(`
      select count(*) from content.vent_stats as told
        left join (select vent_id, count(*) filter (where kind = 'heart') as heart,
                          count(*) filter (where kind = 'hug') as hug,
                          count(*) filter (where kind = 'listen') as listen
                     from content.reactions group by vent_id) as given using (vent_id)
        left join (select vent_id, count(*) as comments from content.comments group by vent_id) as said
          using (vent_id)
       where (told.heart, told.hug, told.listen, told.comments) is distinct from
             (coalesce(given.heart, 0), coalesce(given.hug, 0), coalesce(given.listen, 0), coalesce(said.comments, 0))`),
  );
}

export async function check(where: Where, remembered: Remembered): Promise<Checked> {
  const { lost, twice } = countWords(where.sql, remembered.words);
  return {
    lost: lost + (await countWrongReactions(where, remembered)),
    twice,
    miscounted: countMiscounted(where.sql),
  };
}
