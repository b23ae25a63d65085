import { limits } from '@unsaid/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useAccountId } from '../../lib/current-user.ts';
import { readInboxCursor } from '../../lib/inbox-cursor.ts';
import { useLiveCounts } from '../../lib/live.ts';
import { useNeutralTab } from '../../lib/neutral-tab.ts';
import { noUnread, setUnread, useUnread } from '../../lib/unread.ts';
import { inboxQuery, isNew } from './inbox.api.ts';

/**
 * Keeps the number on the bell true, on every page. It comes from the live connection and counts what came
 * since the last visit of the inbox on this device. A tick changes the number and causes no request.
 */
export function InboxSync() {
  const accountId = useAccountId();
  return accountId === null ? null : <Sync key={accountId} accountId={accountId} />;
}

function Sync({ accountId }: { readonly accountId: string }) {
  const client = useQueryClient();
  const live = useLiveCounts();
  const { answers, gifts, matches } = live;
  // Reactions count from the first cursor on. Later the pages that show the list fetch it.
  const [hasNoCursor] = useState(() => readInboxCursor(accountId) === undefined);
  const { data: list } = useQuery({ ...inboxQuery(client, accountId), enabled: hasNoCursor });
  // A tick does not say on whose vents the comments are. The list does, if nothing came since.
  const isOnOwnVents =
    gifts > 0 ||
    (answers > 0 &&
      (list?.onBell.answers !== answers ||
        list.lines.some((line) => line.kind === 'comments' && isNew(list, line))));

  useEffect(() => {
    const total = answers + gifts + matches;
    const text = total < limits.inboxCount ? String(total) : `${limits.inboxCount}+`;
    setUnread({ total, text, isOnOwnVents, isOnMatches: matches > 0 });
  }, [answers, gifts, matches, isOnOwnVents]);
  useEffect(() => () => setUnread(noUnread), []);
  useAppBadge();

  return null;
}

/** The number on the icon of the installed application, where the system has that. */
function useAppBadge(): void {
  const { total } = useUnread();
  const isNeutral = useNeutralTab();
  const shown = isNeutral ? 0 : total;
  useEffect(() => {
    const { setAppBadge, clearAppBadge } = navigator as Partial<Navigator>;
    if (!setAppBadge || !clearAppBadge || shown === 0) return;
    setAppBadge.call(navigator, shown).catch(() => undefined);
    // Also at log-out.
    return () => void clearAppBadge.call(navigator).catch(() => undefined);
  }, [shown]);
}
