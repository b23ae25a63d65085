import type { InboxLine } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { useAccountId } from '../../lib/current-user.ts';
import { paths } from '../../lib/paths.ts';
import { Icon } from '../../ui/icon.tsx';
import { Bar } from '../../ui/skeleton.tsx';
import { isNew, markOpened, useHasMore, useInbox } from './inbox.api.ts';
import { LineLink } from './line-view.tsx';
import bell from '@material-symbols/svg-400/rounded/notifications.svg?path';
import styles from './inbox.module.css';

/**
 * The first line of the inbox, first on the home page. Room for two lines, so that nothing below moves when it comes; it
 * grows for more, as in a large type size. It stays new until it is opened: a glance at the home page is not reading.
 */
export function InboxStrip() {
  const accountId = useAccountId();
  return accountId === null ? null : <Strip key={accountId} accountId={accountId} />;
}

function Strip({ accountId }: { readonly accountId: string }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { data, error } = useInbox(client, accountId);
  const hasMore = useHasMore(data);
  // What the banner says on every page is not said twice here.
  const isInBanner = (line: InboxLine) => line.kind === 'account' && line.event === 'recovery_asked';
  const fresh = data?.lines.filter((line) => isNew(data, line) && !isInBanner(line)) ?? [];
  const [first, ...others] = fresh;
  const more = others.length;
  if (first)
    return (
      <div className={styles.strip} data-new="">
        <LineLink
          line={first}
          isNew
          onFollow={() => void markOpened(client, accountId, [first.key]).catch(() => undefined)}
        />
        {more > 0 && (
          <Link to={paths.inbox} className={styles.more}>
            {t`${more} more`}
          </Link>
        )}
      </div>
    );
  const isLoading = !hasMore && !data && !error;
  return (
    <Link
      to={paths.inbox}
      className={styles.strip}
      data-new={hasMore ? '' : undefined}
      // A link has a name also before it has text.
      aria-label={isLoading ? t`Open your inbox` : undefined}
    >
      <span className={styles.line} data-new={hasMore ? '' : undefined}>
        <span className={styles.picture}>
          <Icon path={bell} size={22} />
        </span>
        {hasMore ? (
          <Trans>Something new is in your inbox.</Trans>
        ) : data ? (
          data.lines.length > 0 ? (
            <Trans>Nothing new since you were here.</Trans>
          ) : (
            <Trans>Comments and hugs for you will show up here.</Trans>
          )
        ) : error ? (
          <Trans>Open your inbox</Trans>
        ) : (
          <Bar width="60%" height={18} />
        )}
      </span>
    </Link>
  );
}
