import type { CommentView } from '@unsaid/contract';
import { dayInIndia } from '../../../lib/format.ts';

const prefix = 'sending-';

/** An optimistic comment, shown until the server responds. */
export function createOptimisticComment(
  comment: Omit<CommentView, '_id' | 'createdAt' | 'isMine'>,
): CommentView {
  return {
    ...comment,
    _id: prefix + crypto.randomUUID(),
    createdAt: `${dayInIndia(Date.now())}T00:00:00+05:30`,
    isMine: true,
  };
}

export function isOptimisticComment({ _id }: CommentView): boolean {
  return _id.startsWith(prefix);
}
