import type { ReportSubject } from '@unsaid/contract';

/** What a lead pastes: a link to a vent, or ids. */
export interface PastedSubject {
  readonly kind: ReportSubject['kind'];
  /** A link, or the id of the vent or profile. */
  readonly item: string;
  /** For a comment: its own id. */
  readonly comment: string;
}

const ventLink = /^(?:https?:\/\/[^/\s]+)?\/vent\/([^/?#\s]+)/u;
const id = /^[\w-]{1,64}$/u;

/** The id in a link, or the text itself if it looks like an id. */
function idIn(text: string): string | null {
  const trimmed = text.trim();
  const [, linked] = ventLink.exec(trimmed) ?? [];
  const found = linked === undefined ? trimmed : decodeURIComponent(linked);
  return id.test(found) ? found : null;
}

/** The subject of the case, or null if the text holds none. */
export function subjectOf({ kind, item, comment }: PastedSubject): ReportSubject | null {
  const itemId = idIn(item);
  if (itemId === null) return null;
  if (kind !== 'comment') return { kind, id: itemId };
  const commentId = idIn(comment);
  return commentId === null ? null : { kind, id: commentId, ventId: itemId };
}
