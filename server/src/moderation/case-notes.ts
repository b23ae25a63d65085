import type { CaseBox } from './case-box.ts';

/** Appends the note of a moderator to those that are there. Without a note nothing changes. */
export function addNote(
  caseBox: CaseBox,
  { subjectKey, sealedNote }: { readonly subjectKey: Buffer; readonly sealedNote: Buffer | null },
  alias: string,
  note: string | undefined,
): Buffer | null {
  if (!note) return sealedNote;
  const before = sealedNote && caseBox.open('note', subjectKey, sealedNote);
  return caseBox.seal('note', subjectKey, [before, `${alias}: ${note}`].filter(Boolean).join('\n\n'));
}
