import type { ProfileTexts } from '../profiles/profile-moderation.service.ts';

/** What is stored, encrypted, of a reported item: the text as it was, and what a notice calls it by. */
export interface ItemSnapshot {
  /** Labelled text, as a reader saw it. No name but that of a reported profile. */
  readonly paragraphs: readonly { readonly label: string; readonly text: string }[];
  /** The title of a vent, or the beginning of a comment. Null for a profile. */
  readonly excerpt: string | null;
  /** Set by effects.ts: what was on the profile when it was emptied, to be put back. Kept when the rest is replaced. */
  readonly cleared?: ProfileTexts;
}
