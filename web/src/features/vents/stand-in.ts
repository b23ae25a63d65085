import type { CommentView } from '@unsaid/contract';
import { dayInIndia } from '../../lib/format.ts';

const prefix = 'sending-';

/** A comment as it will look, shown until the server has answered. */
export function createStandIn(comment: Omit<CommentView, '_id' | 'createdAt' | 'isMine'>): CommentView {
  return {
    ...comment,
    _id: prefix + crypto.randomUUID(),
    createdAt: `${dayInIndia(Date.now())}T00:00:00+05:30`,
    isMine: true,
  };
}

export function isStandIn({ _id }: CommentView): boolean {
  return _id.startsWith(prefix);
}
