import type { VentView } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useId } from 'react';
import { useNavigate, useParams } from 'react-router';
import { ApiError } from '../../../lib/api-client.ts';
import { failureText } from '../../../lib/error-text.ts';
import { paths } from '../../../lib/paths.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmotionChip } from '../../../ui/emotion.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorCard } from '../../../ui/error-card.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { TimeAgo } from '../../../ui/time-ago.tsx';
import { UserText } from '../../../ui/user-text.tsx';
import { CommentComposer } from '../comments/comment-composer.tsx';
import { CommentList } from '../comments/comment-list.tsx';
import { CommentsSwitch } from '../comments/comments-switch.tsx';
import { ReactionBar } from '../reactions/reaction-bar.tsx';
import { Hashtags, VentFrame } from '../vent-card.tsx';
import { useVentDialogs, VentListSkeleton } from '../vent-list.tsx';
import { useVent } from '../vents.api.ts';
import deleteIcon from '@material-symbols/svg-400/rounded/delete.svg?path';
import flag from '@material-symbols/svg-400/rounded/flag.svg?path';
import styles from './vent-detail.module.css';
import layoutStyles from './vent-layout.module.css';

export function VentDetailPage() {
  const { ventId = '' } = useParams();
  // Keyed by vent: each has its own comments and comment form.
  return <OneVent key={ventId} id={ventId} />;
}

function OneVent({ id }: { readonly id: string }) {
  const { t } = useLingui();
  const { data: vent, error, isFetching, refetch } = useVent(id);
  if (vent) return <Detail vent={vent} />;
  if (!error) return <VentListSkeleton count={1} />;
  if (error instanceof ApiError && error.status === 404) {
    return (
      <EmptyState
        title={
          <PageHeading title={t`Vent`} className={styles.gone}>
            <Trans>Vent not found.</Trans>
          </PageHeading>
        }
        action={
          <ButtonLink to={paths.vents}>
            <Trans>Vent Feed</Trans>
          </ButtonLink>
        }
      >
        <Trans>It may have been taken back by whoever wrote it.</Trans>
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

function Detail({ vent }: { readonly vent: VentView }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const commentsId = useId();
  const { actions, dialogs } = useVentDialogs([vent], {
    deleteFailure: t`Failed to delete vent.`,
    onDeleted: () => void navigate(paths.myVents, { replace: true }),
  });
  return (
    <div className={layoutStyles.inner}>
      <VentFrame vent={vent}>
        <p className={styles.meta}>
          <EmotionChip emotion={vent.emotion} />
          <TimeAgo at={vent.createdAt} isFull className={styles.time} />
        </p>
        {/* A neutral tab title, for shared phones. */}
        <PageHeading title={t`Vent`} className={styles.title}>
          <UserText className={styles.words}>{vent.title}</UserText>
        </PageHeading>
        <UserText className={styles.text}>{vent.text}</UserText>
        <Hashtags tags={vent.hashtags} />
        <ReactionBar vent={vent} />
      </VentFrame>
      <div className={styles.actions}>
        {vent.isOwner ? (
          <Button variant="dangerQuiet" icon={deleteIcon} onClick={() => actions.onDelete(vent)}>
            <Trans>Delete Vent</Trans>
          </Button>
        ) : (
          <Button variant="outlined" icon={flag} onClick={() => actions.onReport(vent)}>
            <Trans>Report Vent</Trans>
          </Button>
        )}
      </div>
      <Card aria-labelledby={commentsId} className={styles.comments}>
        <h2 id={commentsId}>
          <Trans>Comments</Trans>
        </h2>
        {vent.isOwner && <CommentsSwitch vent={vent} />}
        <div>
          <CommentList vent={vent} />
        </div>
        <div className={styles.answer}>
          <CommentComposer vent={vent} />
        </div>
      </Card>
      {dialogs}
    </div>
  );
}
