import type { ItemSnapshot } from '../../kernel/subjects.ts';
import type { ModerationCore } from '../context.ts';

/** The encrypted copy of a reported item, when it is reported again. */

const earlierLabel = 'Earlier: ';
/** Twenty versions of a whole profile, each from another reporter. From then on those in the middle go. */
const maxParagraphs = 100;

type Paragraphs = ItemSnapshot['paragraphs'];

function withoutMiddle(paragraphs: Paragraphs): Paragraphs {
  const half = maxParagraphs / 2;
  return paragraphs.length <= maxParagraphs
    ? paragraphs
    : [...paragraphs.slice(0, half), ...paragraphs.slice(-half)];
}

const isEarlier = ({ label }: { readonly label: string }) => label.startsWith(earlierLabel);

const openCopy = ({ caseBox }: ModerationCore, subjectKey: Buffer, sealed: Buffer) =>
  caseBox.open('item', subjectKey, sealed)?.paragraphs ?? [];

/** Whether the item still reads as in this copy. */
export function isUnchanged(
  ctx: ModerationCore,
  subjectKey: Buffer,
  earlier: Buffer,
  { paragraphs }: ItemSnapshot,
): boolean {
  const before = openCopy(ctx, subjectKey, earlier).filter((one) => !isEarlier(one));
  return JSON.stringify(before) === JSON.stringify(paragraphs);
}

/**
 * A profile can be rewritten between two reports: the copy then has the new words, and after them all earlier ones
 * that somebody reported. Null where the copy needs no change, or the profile is empty: also one that is paused.
 */
export function sealChanges(
  ctx: ModerationCore,
  subjectKey: Buffer,
  earlier: Buffer,
  snapshot: ItemSnapshot,
): Buffer | null {
  if (snapshot.paragraphs.length === 0 || isUnchanged(ctx, subjectKey, earlier, snapshot)) return null;
  const before = openCopy(ctx, subjectKey, earlier).map((one) =>
    isEarlier(one) ? one : { ...one, label: `${earlierLabel}${one.label}` },
  );
  const shown = new Set(snapshot.paragraphs.map(({ label, text }) => `${earlierLabel}${label}\n${text}`));
  // Each once, although most of a profile stays when one text changes.
  const distinct = before.filter(({ label, text }) => {
    const name = `${label}\n${text}`;
    const isNew = !shown.has(name);
    shown.add(name);
    return isNew;
  });
  const { cleared } = ctx.caseBox.open('item', subjectKey, earlier) ?? {};
  return ctx.caseBox.seal('item', subjectKey, {
    ...snapshot,
    ...(cleared ? { cleared } : {}),
    paragraphs: withoutMiddle([...snapshot.paragraphs, ...distinct]),
  });
}
