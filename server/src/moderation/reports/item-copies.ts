import type { Authors } from '../authors.ts';
import type { CaseBox } from '../case-box.ts';
import type { ItemAuthor, ItemSnapshot } from '../../kernel/subjects.ts';

/** The encrypted copies of a reported item. */
export interface ItemCopies {
  sealItem(subjectKey: Buffer, snapshot: ItemSnapshot): Buffer;
  sealAuthor(subjectKey: Buffer, author: ItemAuthor): Buffer;
  /**
   * A profile can be rewritten between two reports: the copy then has the new words, and after them all earlier ones
   * that somebody reported. Null where the copy needs no change, or the profile is empty: also one that is paused.
   */
  sealChanges(subjectKey: Buffer, earlier: Buffer, snapshot: ItemSnapshot): Buffer | null;
  isUnchanged(subjectKey: Buffer, earlier: Buffer, snapshot: ItemSnapshot): boolean;
}

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

export function createItemCopies({
  caseBox,
  authors,
}: {
  readonly caseBox: CaseBox;
  readonly authors: Authors;
}): ItemCopies {
  const open = (subjectKey: Buffer, sealed: Buffer) =>
    caseBox.open('item', subjectKey, sealed)?.paragraphs ?? [];
  const isEarlier = ({ label }: { readonly label: string }) => label.startsWith(earlierLabel);

  function isUnchanged(subjectKey: Buffer, earlier: Buffer, { paragraphs }: ItemSnapshot): boolean {
    const before = open(subjectKey, earlier).filter((one) => !isEarlier(one));
    return JSON.stringify(before) === JSON.stringify(paragraphs);
  }

  return {
    sealItem: (subjectKey, snapshot) => caseBox.seal('item', subjectKey, snapshot),
    sealAuthor: (subjectKey, author) =>
      'speaker' in author
        ? authors.seal(subjectKey, author)
        : authors.sealSpeaker(subjectKey, author.speakerId),
    isUnchanged,
    sealChanges(subjectKey, earlier, snapshot) {
      if (snapshot.paragraphs.length === 0 || isUnchanged(subjectKey, earlier, snapshot)) return null;
      const before = open(subjectKey, earlier).map((one) =>
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
      const { cleared } = caseBox.open('item', subjectKey, earlier) ?? {};
      return caseBox.seal('item', subjectKey, {
        ...snapshot,
        ...(cleared ? { cleared } : {}),
        paragraphs: withoutMiddle([...snapshot.paragraphs, ...distinct]),
      });
    },
  };
}
