import { plural } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { useAccountId } from '../../../lib/current-user.ts';
import { formatList } from '../../../lib/format.ts';
import { paths } from '../../../lib/paths.ts';
import { saveSinceCursor } from '../../../lib/since-cursor.ts';
import { useClearNewActivity, useNewActivity } from '../vents.api.ts';
import styles from './new-activity.module.css';

/**
 * Reactions and comments on the user's vents since the last visit, as a link to them. Nothing if there are none.
 */
export function NewActivity() {
  const accountId = useAccountId();
  return accountId === null ? null : <ActivityNote key={accountId} accountId={accountId} />;
}

function ActivityNote({ accountId }: { readonly accountId: string }) {
  const line = useRef<HTMLAnchorElement>(null);
  const { data } = useNewActivity(accountId);
  const clear = useClearNewActivity(accountId);
  const cursor = data?.cursor;

  // The cursor is saved once the line was visible. Until then, the next visit shows the same again.
  useEffect(() => {
    if (cursor === undefined) return;
    if (!line.current) {
      saveSinceCursor(accountId, cursor);
      return;
    }
    // Waits until the line is scrolled into view, or a background tab becomes visible.
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        saveSinceCursor(accountId, cursor);
        observer.disconnect();
      },
      // Not visible behind the bars at the top and bottom of the screen.
      { threshold: 0.5, rootMargin: '-64px 0px' },
    );
    observer.observe(line.current);
    return () => observer.disconnect();
  }, [accountId, cursor]);

  if (!data) return null;
  const { heart, hug, listen, comments } = data.since;
  const given = [
    comments > 0 && plural(comments, { one: '# comment', other: '# comments' }),
    heart > 0 && plural(heart, { one: '# heart', other: '# hearts' }),
    hug > 0 && plural(hug, { one: '# hug', other: '# hugs' }),
    listen > 0 && plural(listen, { one: '# listen', other: '# listens' }),
  ].filter((part) => part !== false);
  if (given.length === 0) return null;
  const list = formatList(given, 'unit');
  return (
    <Link ref={line} to={paths.myVents} className={styles.activity} onClick={clear}>
      <span>
        <Trans>
          New for you: {list}. <strong>See them</strong>
        </Trans>
      </span>
    </Link>
  );
}
