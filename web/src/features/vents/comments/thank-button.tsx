import { thankForComment, type CommentView } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { apiCall } from '../../../lib/api-client.ts';
import { failureText } from '../../../lib/error-text.ts';
import { Icon } from '../../../ui/icon.tsx';
import { patchVent } from '../vent-cache.ts';
import helped from '@material-symbols/svg-400/rounded/volunteer_activism.svg?path';
import styles from './comments.module.css';

interface ThankButtonProps {
  readonly ventId: string;
  readonly comment: CommentView;
  /** Also for comments that are not in the cache of the vent. */
  readonly onChange: (comment: CommentView) => void;
}

/**
 * "This helped", for the author of a vent. Optimistic, with rollback on failure. It cannot be taken back: whoever could press
 * again and again would choose the day on which it is shown.
 */
export function ThankButton({ ventId, comment, onChange }: ThankButtonProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const isThanked = comment.isThanked === true;
  const show = (now: CommentView) => {
    onChange(now);
    patchVent(client, ventId, (vent) => ({
      ...vent,
      comments: vent.comments.map((one) => (one._id === now._id ? now : one)),
    }));
  };
  const { mutate, isSuccess, error } = useMutation({
    mutationFn: () => apiCall(thankForComment, { params: { ventId, commentId: comment._id } }),
    onMutate: () => {
      show({ ...comment, isThanked: true });
      return comment;
    },
    onError: (_error, _none, before) => before && show(before),
  });
  return (
    <>
      <button
        type="button"
        className={styles.thank}
        aria-pressed={isThanked}
        aria-disabled={isThanked}
        onClick={() => !isThanked && mutate()}
      >
        <Icon path={helped} size={18} />
        {isThanked ? <Trans>You said this helped</Trans> : <Trans>This helped</Trans>}
      </button>
      <span role="status" className={styles.thanked}>
        {error !== null
          ? failureText(error, t`That didn't go through. Please try again.`)
          : isSuccess && <Trans>They'll know in a few days. Nobody else will.</Trans>}
      </span>
    </>
  );
}
