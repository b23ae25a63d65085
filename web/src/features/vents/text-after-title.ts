import type { VentView } from '@unsaid/contract';

const isSpace = (letter: string | undefined) => letter !== undefined && /\s/u.test(letter);
const isStop = (letter: string | undefined) => letter === '.' || letter === '।';

/**
 * The text without its first sentence or line where that is the title, which most titles are (vent-form.ts): it stands
 * above already.
 */
export function textAfterTitle({ title, text }: Pick<VentView, 'title' | 'text'>): string {
  // Cut after a whole word.
  const isCut = title.endsWith('…');
  let at = 0;
  for (const word of (isCut ? title.slice(0, -1) : title).trim().split(/\s+/u)) {
    const from = at;
    while (isSpace(text[at])) at += 1;
    if ((from > 0 && at === from) || !text.startsWith(word, at)) return text;
    at += word.length;
  }
  const isQuestion = text[at - 1] === '?' || text[at - 1] === '!';
  let end = at;
  // The title leaves the full stop out.
  while (isStop(text[end])) end += 1;
  const rest = text.slice(end);
  const isWhole = isQuestion || end > at || /^\s*(?:\n|$)/u.test(rest);
  const isWord = rest === '' || isSpace(rest[0]);
  return isWord && (isCut || isWhole) ? rest.trim() : text;
}
