import { plural } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { formatList } from '../../lib/format.ts';
import { Note } from '../../ui/note.tsx';
import { useSince } from './vents.api.ts';

/** What one's vents were given since the last visit, in one line; nothing when there was nothing. */
export function SinceLine() {
  const { data: since } = useSince();
  if (!since) return null;
  const { heart, hug, listen, comments } = since;
  const given = [
    heart > 0 && plural(heart, { one: '# heart', other: '# hearts' }),
    hug > 0 && plural(hug, { one: '# hug', other: '# hugs' }),
    listen > 0 && plural(listen, { one: '# listen', other: '# listens' }),
    comments > 0 && plural(comments, { one: '# comment', other: '# comments' }),
  ].filter((part) => part !== false);
  if (given.length === 0) return null;
  const list = formatList(given);
  return (
    <Note>
      <Trans>Since you were here, your vents were given {list}.</Trans>
    </Note>
  );
}
