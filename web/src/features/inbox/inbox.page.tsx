import type { InboxLine } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useLingui as useTranslation } from '@lingui/react';
import { useQueryClient } from '@tanstack/react-query';
import { memo, useCallback, useDeferredValue, useEffect, useEffectEvent, useId, useState } from 'react';
import { useAccountId } from '../../lib/current-user.ts';
import { failureText } from '../../lib/error-text.ts';
import { paths } from '../../lib/paths.ts';
import { useGrowing } from '../../lib/use-growing.ts';
import { useIsOnline } from '../../lib/use-is-online.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { Note } from '../../ui/note.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { Bar, Loading } from '../../ui/skeleton.tsx';
import { identityOf, isNew, markOpened, markVisited, useHasMore, useInbox, type Inbox } from './inbox.api.ts';
import { LineLink } from './line-view.tsx';
import arrowUp from '@material-symbols/svg-400/rounded/arrow_upward.svg?path';
import editNote from '@material-symbols/svg-400/rounded/edit_note.svg?path';
import styles from './inbox.module.css';

/** What came back: comments, reactions and yeses, the unread first. */
export function InboxPage() {
  const { t } = useLingui();
  const accountId = useAccountId();
  return (
    <div className={styles.page}>
      <PageHeading>{t`Inbox`}</PageHeading>
      {accountId !== null && <OwnInbox key={accountId} accountId={accountId} />}
    </div>
  );
}

function OwnInbox({ accountId }: { readonly accountId: string }) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { data, error, isFetching, refetch } = useInbox(client, accountId);
  const lines = data?.lines;
  // Once for each list that has come, also after "Show what's new"; not for what is opened in it.
  const visit = useEffectEvent(() => data && markVisited(client, accountId, data));
  useEffect(() => {
    if (!isFetching && lines) void visit()?.catch(() => undefined);
  }, [isFetching, lines]);
  const isOnline = useIsOnline();
  // In slices, as the feed.
  const isRendered = useDeferredValue(data !== undefined);
  if (data && isRendered)
    return (
      <>
        {/* Kept in the memory of this tab only: on a shared phone, storage is open to the next person. */}
        {(error || !isOnline) && (
          <Note>
            <Trans>We couldn't check for anything newer. This is from your last look.</Trans>
          </Note>
        )}
        <Lines accountId={accountId} inbox={data} isFetching={isFetching} onRefetch={() => void refetch()} />
      </>
    );
  if (error)
    return (
      <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
        {failureText(error, t`Couldn't load your inbox.`)}
      </ErrorCard>
    );
  return <InboxSkeleton />;
}

/** More than a phone shows. */
const atOnce = 8;

interface LinesProps {
  readonly accountId: string;
  readonly inbox: Inbox;
  readonly isFetching: boolean;
  readonly onRefetch: () => void;
}

function Lines({ accountId, inbox, isFetching, onRefetch }: LinesProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const hasMore = useHasMore(inbox);
  // What is opened during this visit keeps its place and its look.
  const [{ opened }] = useState(inbox);
  const count = useGrowing(inbox.lines.length, atOnce);
  const allFresh = inbox.lines.filter((line) => isNew({ opened }, line));
  const fresh = allFresh.slice(0, count);
  const earlier = inbox.lines
    .filter((line) => !isNew({ opened }, line))
    .slice(0, Math.max(0, count - allFresh.length));
  const open = useCallback(
    ({ key }: InboxLine) => void markOpened(client, accountId, [key]).catch(() => undefined),
    [client, accountId],
  );

  return (
    <div>
      <div role="status" className={styles.newer}>
        {hasMore && !isFetching && (
          <Button
            variant="outlined"
            icon={arrowUp}
            onClick={({ currentTarget }) => {
              // The button is about to disappear.
              currentTarget.closest('main')?.querySelector('h1')?.focus();
              onRefetch();
            }}
          >
            <Trans>Show what's new</Trans>
          </Button>
        )}
      </div>
      <div className={styles.sections}>
        {inbox.lines.length === 0 ? (
          <Nothing />
        ) : fresh.length > 0 ? (
          <Section title={t`New`} lines={fresh} isNew onOpen={open} />
        ) : (
          <p className={styles.nothing}>
            <Trans>You're all caught up.</Trans>
          </p>
        )}
        {earlier.length > 0 && <Section title={t`Earlier`} lines={earlier} isNew={false} onOpen={open} />}
      </div>
    </div>
  );
}

function Nothing() {
  return (
    <Card>
      <EmptyState
        title={<Trans>Nothing here yet.</Trans>}
        action={
          <ButtonLink to={paths.createVent} icon={editNote}>
            <Trans>Write a vent</Trans>
          </ButtonLink>
        }
      >
        <Trans>When someone comments or sends you a hug, you'll see it here.</Trans>
      </EmptyState>
    </Card>
  );
}

interface SectionProps {
  readonly title: string;
  readonly lines: readonly InboxLine[];
  readonly isNew: boolean;
  readonly onOpen: (line: InboxLine) => void;
}

function Section({ title, lines, ...item }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles.section}>
      <h2 id={id} className={styles.heading}>
        {title}
      </h2>
      <ul role="list" className={styles.list}>
        {lines.map((line) => (
          <Item key={identityOf(line)} line={line} {...item} />
        ))}
      </ul>
    </section>
  );
}

/** A tick of the live connection renders none of them again. */
const Item = memo(function Item({
  line,
  isNew,
  onOpen,
}: Omit<SectionProps, 'title' | 'lines'> & { readonly line: InboxLine }) {
  // A change of the language does.
  useTranslation();
  return (
    <li>
      <LineLink line={line} isNew={isNew} onFollow={() => isNew && onOpen(line)} />
    </li>
  );
});

function InboxSkeleton() {
  return (
    <Loading className={styles.list}>
      {['70%', '55%', '80%', '60%'].map((width) => (
        <div key={width} className={styles.line}>
          <Bar height={40} isRound />
          <Bar width={width} height={18} />
        </div>
      ))}
    </Loading>
  );
}
