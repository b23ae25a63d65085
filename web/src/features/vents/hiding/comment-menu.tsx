import type { CommentView, VentView } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { refreshLists, sendClose, sendHide, sendUnhide } from '../../../lib/choices.ts';
import { failureText } from '../../../lib/error-text.ts';
import { Button, ButtonRow } from '../../../ui/button.tsx';
import { Alert, Dialog } from '../../../ui/dialog.tsx';
import { ErrorCard } from '../../../ui/error-card.tsx';
import { FieldError } from '../../../ui/field.tsx';
import { HideNameAlert } from '../../../ui/hide-name-alert.tsx';
import { ReportDialog } from '../../../ui/report-dialog.tsx';
import { toast } from '../../../ui/toast.tsx';
import { patchVent, withoutComment } from '../vent-cache.ts';
import { fetchComment } from './hiding.ts';
import styles from './hiding.module.css';

export interface CommentMenuProps {
  readonly vent: VentView;
  readonly comment: CommentView;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** All that are on screen. */
  readonly comments: readonly CommentView[];
  /** Folded, or shown again. */
  readonly onChange: (...comments: readonly CommentView[]) => void;
  readonly onRemoved: () => void;
}

/** As the server sends it to whoever hid it. */
function foldComment(comment: CommentView, hiddenBy: 'you' | 'name'): CommentView {
  return { ...comment, text: '', userId: { username: null, profilePic: null }, hiddenBy };
}

/** What a reader can do about a comment of somebody else. */
export function CommentMenu({
  vent,
  comment,
  isOpen,
  onClose,
  comments,
  onChange,
  onRemoved,
}: CommentMenuProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const [asks, setAsks] = useState<'name' | 'close' | 'report'>();
  const stopAsking = () => setAsks(undefined);
  const place = { ventId: vent._id, id: comment._id };
  const { username } = comment.userId;
  const hiding = useMutation({ mutationFn: () => sendHide({ kind: 'comment', ...place }) });
  const showing = useMutation({
    mutationFn: async () => {
      await sendUnhide(
        comment.hiddenBy === 'name'
          ? { kind: 'name', ventId: vent._id, commentId: comment._id }
          : { kind: 'comment', ...place },
      );
      return fetchComment(vent._id, comment._id);
    },
  });
  const failure = hiding.error ?? showing.error;
  const canUnhide = comment.hiddenBy === 'you' || comment.hiddenBy === 'name';

  const hideThis = async () => {
    await hiding.mutateAsync();
    onChange(foldComment(comment, 'you'));
    onClose();
  };
  const showAgain = async () => {
    const shown = await showing.mutateAsync();
    if (shown) onChange(shown);
    refreshLists(client);
    onClose();
  };

  return (
    <>
      <Dialog isOpen={isOpen} onClose={onClose} title={t`This comment`}>
        <div className={styles.menu}>
          {canUnhide ? (
            <Button
              variant="outlined"
              isWide
              isBusy={showing.isPending}
              onClick={() => void showAgain().catch(() => undefined)}
            >
              {comment.hiddenBy === 'name' && username !== null ? (
                <Trans>Stop hiding {username}</Trans>
              ) : (
                <Trans>Unhide this comment</Trans>
              )}
            </Button>
          ) : (
            <Button
              variant="outlined"
              isWide
              isBusy={hiding.isPending}
              onClick={() => void hideThis().catch(() => undefined)}
            >
              <Trans>Hide this comment</Trans>
            </Button>
          )}
          {username !== null && comment.hiddenBy !== 'name' && (
            <Button variant="outlined" isWide onClick={() => setAsks('name')}>
              <Trans>Hide everything by {username}</Trans>
            </Button>
          )}
          <Button
            variant="outlined"
            isWide
            onClick={() => {
              onClose();
              setAsks('report');
            }}
          >
            <Trans>Report comment</Trans>
          </Button>
          {vent.isOwner && (
            <Button variant="dangerQuiet" isWide onClick={() => setAsks('close')}>
              <Trans>Delete, and stop them commenting here</Trans>
            </Button>
          )}
          {failure && (
            <ErrorCard>
              {failureText(failure, t`Your list is full. Take something off it in Settings first.`)}
            </ErrorCard>
          )}
        </div>
      </Dialog>
      {username !== null && (
        <HideNameAlert
          name={username}
          about={{ kind: 'name', ventId: vent._id, commentId: comment._id }}
          isOpen={asks === 'name'}
          onClose={stopAsking}
          onHidden={() => {
            onChange(
              ...comments
                .filter(({ userId, isMine }) => userId.username === username && !isMine)
                .map((one) => foldComment(one, 'name')),
            );
            onClose();
          }}
        />
      )}
      <CloseAlert
        vent={vent}
        comment={comment}
        isOpen={asks === 'close'}
        onClose={stopAsking}
        onRemoved={() => {
          onRemoved();
          onClose();
        }}
      />
      <ReportDialog about={{ kind: 'comment', ...place }} isOpen={asks === 'report'} onClose={stopAsking} />
    </>
  );
}

interface CloseAlertProps extends Pick<
  CommentMenuProps,
  'vent' | 'comment' | 'isOpen' | 'onClose' | 'onRemoved'
> {}

function CloseAlert({ vent, comment, isOpen, onClose, onRemoved }: CloseAlertProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const { username } = comment.userId;
  const close = useMutation({ mutationFn: () => sendClose(vent._id, comment._id) });
  const confirm = async () => {
    await close.mutateAsync();
    patchVent(client, vent._id, (one) => withoutComment(one, comment._id));
    onRemoved();
    onClose();
    toast(t`Deleted. They can't comment here anymore.`);
  };
  return (
    <Alert
      isOpen={isOpen}
      onClose={onClose}
      title={t`Delete this comment and close the vent to them?`}
      actions={
        <>
          {close.isError && <FieldError>{failureText(close.error, t`Failed to delete comment.`)}</FieldError>}
          <ButtonRow>
            <Button variant="quiet" disabled={close.isPending} onClick={onClose}>{t`Cancel`}</Button>
            <Button
              variant="danger"
              isBusy={close.isPending}
              onClick={() => void confirm().catch(() => undefined)}
            >
              <Trans>Delete and close</Trans>
            </Button>
          </ButtonRow>
        </>
      }
    >
      {username === null ? (
        <Trans>
          The person who wrote this can't comment here as Anonymous again. Their older comments stay, and your
          other vents stay open to them. You can't undo this.
        </Trans>
      ) : (
        <Trans>
          {username} can't comment here under that name again. Their older comments stay, and your other vents
          stay open to them. You can't undo this.
        </Trans>
      )}
    </Alert>
  );
}
