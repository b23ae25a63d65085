import { listComments, type CommentView } from '@unsaid/contract';
import { apiCall } from '../../../lib/api-client.ts';
import { sendUnhide } from '../../../lib/choices.ts';
import { unfoldItem, useIsFolded } from '../../../lib/folded-items.ts';
import { HiddenLine } from '../../../ui/hidden-line.tsx';
import { hasNoWords } from './is-folded.ts';

export interface HiddenCommentProps {
  readonly ventId: string;
  readonly comment: CommentView;
  /** It was folded by a press. */
  readonly isJustHidden: boolean;
  /** With its words. */
  readonly onChange: (comment: CommentView) => void;
}

/** With its words, as only who asks for this one gets it. */
export async function fetchComment(ventId: string, id: string): Promise<CommentView | undefined> {
  const { comments } = await apiCall(listComments, {
    params: { id: ventId },
    query: { from: id, withHidden: 'true' },
  });
  return comments.find(({ _id }) => _id === id);
}

export function HiddenComment({ ventId, comment, isJustHidden, onChange }: HiddenCommentProps) {
  const id = comment._id;
  const isReported = useIsFolded(id);
  const reason = isReported ? 'reported' : (comment.hiddenBy ?? 'you');
  const show = async () => {
    const shown = hasNoWords(comment) ? await fetchComment(ventId, id) : comment;
    unfoldItem(id);
    if (shown) onChange(shown);
  };
  return (
    <HiddenLine
      id={id}
      reason={reason}
      takesFocus={() => isJustHidden}
      onShow={show}
      onUnhide={
        reason === 'you'
          ? async () => {
              await sendUnhide({ kind: 'comment', ventId, id });
              await show();
            }
          : undefined
      }
    />
  );
}
