import { plural } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect, useRef } from 'react';
import { formatList } from '../../lib/format.ts';
import { useAccountId } from '../../lib/self.ts';
import { keepSinceCursor } from '../../lib/since-cursor.ts';
import { Note } from '../../ui/note.tsx';
import { useSince } from './vents.api.ts';

/** What one's vents were given since the last visit, in one line; nothing when there was nothing. */
export function SinceLine() {
  const accountId = useAccountId();
  return accountId === null ? null : <SinceOf key={accountId} accountId={accountId} />;
}

function SinceOf({ accountId }: { readonly accountId: string }) {
  const line = useRef<HTMLDivElement>(null);
  const { data } = useSince(accountId);
  const cursor = data?.cursor;

  // Kept only once it was really seen: until then the next visit is told the same again.
  useEffect(() => {
    if (cursor === undefined) return;
    if (!line.current) {
      keepSinceCursor(accountId, cursor);
      return;
    }
    // Waits for the line to be scrolled into view, and in a background tab for somebody to look at it.
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        keepSinceCursor(accountId, cursor);
        observer.disconnect();
      },
      // Behind the bars at the top and bottom of the screen it's not in view.
      { threshold: 0.5, rootMargin: '-64px 0px' },
    );
    observer.observe(line.current);
    return () => observer.disconnect();
  }, [accountId, cursor]);

  if (!data) return null;
  const { heart, hug, listen, comments } = data.since;
  const given = [
    heart > 0 && plural(heart, { one: '# heart', other: '# hearts' }),
    hug > 0 && plural(hug, { one: '# hug', other: '# hugs' }),
    listen > 0 && plural(listen, { one: '# listen', other: '# listens' }),
    comments > 0 && plural(comments, { one: '# comment', other: '# comments' }),
  ].filter((part) => part !== false);
  if (given.length === 0) return null;
  const list = formatList(given);
  return (
    <div ref={line}>
      <Note>
        <Trans>Since you were here, your vents were given {list}.</Trans>
      </Note>
    </div>
  );
}
