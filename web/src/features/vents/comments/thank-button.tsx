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

/** "This helped", for the author of a vent. Optimistic, with rollback on failure. */
export function ThankButton({ ventId, comment, onChange }: ThankButtonProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const show = (isThanked: boolean) => {
    const { isThanked: _, ...rest } = comment;
    const now: CommentView = isThanked ? { ...rest, isThanked } : rest;
    onChange(now);
    patchVent(client, ventId, (vent) => ({
      ...vent,
      comments: vent.comments.map((one) => (one._id === now._id ? now : one)),
    }));
  };
  const { mutate, data, error } = useMutation({
    mutationFn: async (isThanked: boolean) => {
      await apiCall(thankForComment, { params: { ventId, commentId: comment._id }, body: { isThanked } });
      return isThanked;
    },
    onMutate: show,
    onError: (_, isThanked) => show(!isThanked),
  });
  const isThanked = comment.isThanked === true;
  return (
    <>
      <button
        type="button"
        className={styles.thank}
        aria-pressed={isThanked}
        onClick={() => mutate(!isThanked)}
      >
        <Icon path={helped} size={18} />
        <Trans>This helped</Trans>
      </button>
      <span role="status" className={styles.thanked}>
        {error !== null
          ? failureText(error, t`That didn't go through. Please try again.`)
          : data === true && isThanked && <Trans>They'll know in a few days. Nobody else will.</Trans>}
      </span>
    </>
  );
}
