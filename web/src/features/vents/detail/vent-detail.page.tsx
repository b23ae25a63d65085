import type { VentView } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { Suspense, useEffect, useId, useState } from 'react';
import { Link, useLocation, useNavigate, useNavigationType, useParams } from 'react-router';
import { ApiError } from '../../../lib/api-client.ts';
import { failureText } from '../../../lib/error-text.ts';
import { readHistoryState } from '../../../lib/history-state.ts';
import { paths, ventPath } from '../../../lib/paths.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmotionChip } from '../../../ui/emotion.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorCard } from '../../../ui/error-card.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { TimeAgo } from '../../../ui/time-ago.tsx';
import { toast } from '../../../ui/toast.tsx';
import { UserText } from '../../../ui/user-text.tsx';
import { CommentComposer } from '../comments/comment-composer.tsx';
import { CommentList } from '../comments/comment-list.tsx';
import { CommentsSwitch } from '../comments/comments-switch.tsx';
import { loadGuard, ventPlace, wordsOf } from '../crisis/crisis-guard.ts';
import { CrisisNote } from '../crisis/crisis-note.tsx';
import { useHideVent } from '../use-hide-vent.ts';
import { useIsAway } from '../hiding/is-folded.ts';
import { LazyHiddenVent } from '../hiding/lazy-hiding.ts';
import { VentBody } from '../vent-body.tsx';
import { VentFrame } from '../vent-card.tsx';
import { useVentDialogs, VentListSkeleton } from '../vent-list.tsx';
import { openHeavy } from '../opened-vents.ts';
import { useVent } from '../vents.api.ts';
import back from '@material-symbols/svg-400/rounded/arrow_back.svg?path';
import deleteIcon from '@material-symbols/svg-400/rounded/delete.svg?path';
import flag from '@material-symbols/svg-400/rounded/flag.svg?path';
import linkIcon from '@material-symbols/svg-400/rounded/link.svg?path';
import styles from './vent-detail.module.css';
import layoutStyles from './vent-layout.module.css';

export function VentDetailPage() {
  const { ventId = '' } = useParams();
  // Keyed by vent: each has its own comments and comment form.
  return <OneVent key={ventId} id={ventId} />;
}

function OneVent({ id }: { readonly id: string }) {
  const { t } = useLingui();
  const { state } = useLocation();
  // Back and forward restore the scroll position instead.
  const isBack = useNavigationType() === 'POP';
  const wantedId = isBack ? undefined : readHistoryState(state).commentId;
  // Known once the vent was fetched: it is searched among the comments of now, not of an earlier visit.
  const [targetId, setTargetId] = useState<string>();
  const isLanding = wantedId !== undefined && targetId === undefined;
  const { data: vent, error, isFetching, refetch } = useVent(id, { isFresh: isLanding });
  if (isLanding && vent && !isFetching) setTargetId(wantedId);
  if (vent) return <Detail vent={vent} targetId={targetId} />;
  if (!error) return <VentListSkeleton count={1} />;
  if (error instanceof ApiError && error.status === 404) {
    return (
      <EmptyState
        title={<PageHeading title={t`Vent`} className={styles.gone}>{t`Vent not found.`}</PageHeading>}
        action={<ButtonLink to={paths.vents}>{t`Vent Feed`}</ButtonLink>}
      >
        <Trans>Maybe the person who wrote it deleted it.</Trans>
      </EmptyState>
    );
  }
  return (
    <div className={layoutStyles.inner}>
      <PageHeading>{t`Vent`}</PageHeading>
      <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
        {failureText(error, t`Failed to fetch vent.`)}
      </ErrorCard>
    </div>
  );
}

/** Back to the feed or the inbox; if the reader came from there, to the same page and place of it. */
function BackLink() {
  const navigate = useNavigate();
  const { state } = useLocation();
  const { isFromFeed, isFromInbox } = readHistoryState(state);
  const isToInbox = isFromInbox !== undefined;
  return (
    <Link
      to={isToInbox ? paths.inbox : paths.vents}
      className={styles.back}
      onClick={(event) => {
        const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
        if (!(isFromFeed || isFromInbox) || !isPlain) return;
        event.preventDefault();
        void navigate(-1);
      }}
    >
      <Icon path={back} size={20} />
      {isToInbox ? <Trans>Back to inbox</Trans> : <Trans>Back to vents</Trans>}
    </Link>
  );
}

function Detail({ vent, targetId }: { readonly vent: VentView; readonly targetId: string | undefined }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const commentsId = useId();
  const isAway = useIsAway(vent);
  // Whoever wrote the vent: loaded for its author alone, it would tell whose it is.
  useEffect(loadGuard, []);
  useEffect(() => {
    // Lists show it from now on.
    if (vent.heavy) openHeavy(vent._id);
  }, [vent.heavy, vent._id]);
  const { actions, dialogs } = useVentDialogs([vent], {
    deleteFailure: t`Failed to delete vent.`,
    onDeleted: () => void navigate(paths.myVents, { replace: true }),
  });
  const hiding = useHideVent(vent);
  const copyLink = async () => {
    try {
      await navigator.clipboard.writeText(new URL(ventPath(vent._id), location.origin).href);
      toast(t`Link copied.`);
    } catch {
      // Refused, or not available without https.
      toast(t`Couldn't copy the link.`);
    }
  };
  return (
    <div className={layoutStyles.inner}>
      <BackLink />
      <VentFrame vent={vent} isAway={isAway}>
        {!isAway && (
          <p className={styles.meta}>
            <EmotionChip emotion={vent.emotion} />
            <TimeAgo at={vent.createdAt} isOwn={vent.isOwner} isFull className={styles.time} />
          </p>
        )}
        {/* A neutral tab title, for shared phones. Stays mounted: a new heading would take the focus. */}
        <PageHeading title={t`Vent`} className={isAway ? 'visually-hidden' : styles.title}>
          {isAway ? t`Vent` : <UserText className={styles.words}>{vent.title}</UserText>}
        </PageHeading>
        {isAway ? (
          <Suspense fallback={null}>
            <LazyHiddenVent vent={vent} />
          </Suspense>
        ) : (
          <VentBody vent={vent} isWhole />
        )}
      </VentFrame>
      {vent.isOwner && <CrisisNote place={ventPlace(vent._id)} moment="own" from={2} text={wordsOf(vent)} />}
      {!isAway && (
        <>
          <div className={styles.actions}>
            <Button variant="quiet" icon={linkIcon} className={styles.action} onClick={() => void copyLink()}>
              <Trans>Copy link</Trans>
            </Button>
            {vent.isOwner ? (
              <Button
                variant="quiet"
                icon={deleteIcon}
                className={styles.action}
                onClick={() => actions.onDelete(vent)}
              >
                <Trans>Delete Vent</Trans>
              </Button>
            ) : (
              <>
                <Button
                  variant="quiet"
                  icon={hiding.icon}
                  aria-label={hiding.label}
                  className={styles.action}
                  onClick={() => void hiding.toggle().catch(() => undefined)}
                >
                  {hiding.isHidden ? <Trans>Unhide</Trans> : <Trans>Hide</Trans>}
                </Button>
                <Button
                  variant="quiet"
                  icon={flag}
                  className={styles.action}
                  onClick={() => actions.onReport(vent)}
                >
                  <Trans>Report Vent</Trans>
                </Button>
              </>
            )}
          </div>
          {vent.need !== 'hug' && (
            <Card aria-labelledby={commentsId} className={styles.comments}>
              <h2 id={commentsId}>{t`Comments`}</h2>
              {vent.isOwner && <CommentsSwitch vent={vent} />}
              <div>
                <CommentList vent={vent} targetId={targetId} />
              </div>
              <div className={styles.answer}>
                <CommentComposer vent={vent} />
              </div>
            </Card>
          )}
        </>
      )}
      {dialogs}
    </div>
  );
}
