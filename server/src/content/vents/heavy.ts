import { isHeavy } from '@unsaid/guard/crisis';
import type { VentRow } from '../feed/feed.hot.queries.ts';

/** Enough for every page that is read often. */
const most = 20_000;

export interface Heaviness {
  (row: Pick<VentRow, 'id' | 'title' | 'body'>): boolean;
  /** Undefined for a vent that this process has not read. */
  known(id: bigint): boolean | undefined;
}

/**
 * Whether lists fold a vent: read from its words once in this process, and stored nowhere. Words do not change, so an
 * answer stays true as long as it is kept.
 */
export function createHeaviness(): Heaviness {
  const answers = new Map<bigint, boolean>();
  const read = ({ id, title, body }: Pick<VentRow, 'id' | 'title' | 'body'>): boolean => {
    const known = answers.get(id);
    if (known !== undefined) return known;
    const answer = isHeavy(`${title}\n${body}`);
    if (answers.size >= most) answers.delete(answers.keys().next().value as bigint);
    answers.set(id, answer);
    return answer;
  };
  return Object.assign(read, { known: (id: bigint) => answers.get(id) });
}
