import { getVent, reactionTypes, type ReactionType } from '@unsaid/contract';
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
  /** Of that vent. */
  readonly ventText: string;
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

interface CheckedReactions {
  /** Those that differ from the last acknowledged state. */
  readonly wrong: number;
  /** Of the vent's author, who is the first client. */
  readonly own: readonly ReactionType[];
}

async function checkReactions(
  { port, tokens, ventId }: Where,
  { reactions }: Pick<Remembered, 'reactions'>,
): Promise<CheckedReactions> {
  const client = createClient(port, 1);
  let wrong = 0;
  let own: readonly ReactionType[] = [];
  for (const [position, token] of tokens.entries()) {
    const { body } = await client.call(getVent, { token, params: { id: ventId } });
    if (position === 0) own = body.vent.myReactions;
    for (const [kind, isActive] of reactions[position] ?? [])
      if (body.vent.myReactions.includes(kind) !== isActive) wrong += 1;
  }
  client.close();
  return { wrong, own };
}

/** The counters leave out the author's own reactions. Vents of earlier groups have other authors. */
function countMiscounted({ sql, ventText }: Where, own: readonly ReactionType[]): number {
  const ofOthers = (kind: ReactionType) => `coalesce(given.${kind} - ${Number(own.includes(kind))}, 0)`;
  return Number(
    sql(`
      select count(*) from content.vent_stats as told
        left join (select vent_id, count(*) filter (where kind = 'heart') as heart,
                          count(*) filter (where kind = 'hug') as hug,
                          count(*) filter (where kind = 'listen') as listen
                     from content.reactions group by vent_id) as given using (vent_id)
        left join (select vent_id, count(*) as comments from content.comments group by vent_id) as said
          using (vent_id)
       where (given.vent_id is null or told.vent_id = (select id from content.vents where body = '${ventText}'))
         and (${reactionTypes.map((kind) => `told.${kind}`).join()}, told.comments) is distinct from
             (${reactionTypes.map(ofOthers).join()}, coalesce(said.comments, 0))`),
  );
}

export async function check(where: Where, remembered: Remembered): Promise<Checked> {
  const { lost, twice } = countWords(where.sql, remembered.words);
  const { wrong, own } = await checkReactions(where, remembered);
  return {
    lost: lost + wrong,
    twice,
    miscounted: countMiscounted(where, own),
  };
}
