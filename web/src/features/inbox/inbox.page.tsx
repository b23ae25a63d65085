import type { InboxLine } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useAccountId } from '../../lib/current-user.ts';
import { failureText } from '../../lib/error-text.ts';
import { paths } from '../../lib/paths.ts';
import { useIsOnline } from '../../lib/use-is-online.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { Note } from '../../ui/note.tsx';
import { PageHeading } from '../../ui/page-heading.tsx';
import { Bar, Loading } from '../../ui/skeleton.tsx';
import { useHasMore, useInbox, type Inbox } from './inbox.api.ts';
import { LineLink } from './line-view.tsx';
import type { SeenGatherer } from './seen-gatherer.ts';
import { useSeenLine, useSeenLines } from './use-seen-lines.ts';
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
  const { data, error, isFetching, refetch } = useInbox(useQueryClient(), accountId);
  const isOnline = useIsOnline();
  if (data)
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

interface LinesProps {
  readonly accountId: string;
  readonly inbox: Inbox;
  readonly isFetching: boolean;
  readonly onRefetch: () => void;
}

function Lines({ accountId, inbox, isFetching, onRefetch }: LinesProps) {
  const { t } = useLingui();
  const gatherer = useSeenLines(accountId);
  const hasMore = useHasMore(inbox);
  // What is seen during this visit keeps its place and its look.
  const [seenBefore] = useState(inbox.seen);
  const isNew = ({ key, isUnread }: InboxLine) => isUnread && !seenBefore.has(key);
  const [fresh, earlier] = [inbox.lines.filter(isNew), inbox.lines.filter((line) => !isNew(line))];

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
          <Section title={t`New`} lines={fresh} isNew gatherer={gatherer} />
        ) : (
          <p className={styles.nothing}>
            <Trans>You're all caught up.</Trans>
          </p>
        )}
        {earlier.length > 0 && (
          <Section title={t`Earlier`} lines={earlier} isNew={false} gatherer={gatherer} />
        )}
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
  readonly gatherer: SeenGatherer;
}

function Section({ title, lines, isNew, gatherer }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles.section}>
      <h2 id={id} className={styles.heading}>
        {title}
      </h2>
      <ul role="list" className={styles.list}>
        {lines.map((line) => (
          <Item key={identityOf(line)} line={line} isNew={isNew} gatherer={gatherer} />
        ))}
      </ul>
    </section>
  );
}

/** The same in every response, unlike the key. */
function identityOf(line: InboxLine): string {
  if (line.kind === 'notice') return line.noticeId;
  if (line.kind === 'account') return line.event + line.day;
  return line.kind + ('vent' in line ? line.vent._id : line.matchId);
}

function Item({
  line,
  isNew,
  gatherer,
}: Omit<SectionProps, 'title' | 'lines'> & { readonly line: InboxLine }) {
  const element = useSeenLine(gatherer, line, isNew);
  return (
    <li ref={element}>
      <LineLink line={line} isNew={isNew} onFollow={() => isNew && gatherer.follow(line.key)} />
    </li>
  );
}

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
