import type { Emotion, KeepDays, Need, VentSaid } from '@unsaid/contract';
import type { Insertable, Selectable } from 'kysely';
import type { ContentTables } from '../../db/schema.ts';
import { filled, type ItemSnapshot } from '../../kernel/subjects.ts';

type Vents = ContentTables['content.vents'];

/** What an author says in a vent, with its label for moderators. The feed, the export and the moderator's copy read it. */
const labels = {
  title: 'Title',
  body: 'Vent',
  emotion: 'Emotion',
  hashtags: 'Hashtags',
  need: 'What would help',
  keepDays: 'Days it stays',
} as const satisfies Record<Exclude<keyof VentSaid, 'text'> | 'body', string>;

type SaidColumn = keyof typeof labels;
export type Said = Readonly<Pick<Selectable<Vents>, SaidColumn>>;

export const saidColumns = Object.keys(labels) as SaidColumn[];
/** For a statement where the vent is called `vent`. */
export const saidSql = saidColumns
  .map((column) => `vent.${column.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)}`)
  .join(', ');

/** As a moderator reads it. */
export const paragraphsOf = (said: Said): ItemSnapshot['paragraphs'] =>
  filled(saidColumns.map((column) => ({ label: labels[column], text: [said[column]].flat().join(' ') })));

/** As the contract names it, and nothing else of the row: `body` is `text` there. A missing field does not compile. */
export const toSaid = ({ title, body, emotion, hashtags, need, keepDays }: Said): VentSaid => ({
  title,
  text: body,
  emotion: emotion as Emotion,
  hashtags,
  need: need as Need | null,
  keepDays: keepDays as KeepDays | null,
});

/** What most authors leave open. */
export const nothingChosen = { need: null, keepDays: null };

/** What is said, as it is stored. */
export type NewWords = ReturnType<typeof toColumns>;

export function toColumns({ text: body, ...rest }: VentSaid): Pick<Insertable<Vents>, SaidColumn> & Said {
  return { body, ...rest };
}
