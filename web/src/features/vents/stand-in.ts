import type { CommentView } from '@unsaid/contract';

const prefix = 'sending-';

/** A comment as it will look, shown until the server has answered. */
export function createStandIn(comment: Omit<CommentView, '_id' | 'createdAt' | 'isMine'>): CommentView {
  return {
    ...comment,
    _id: prefix + crypto.randomUUID(),
    createdAt: new Date().toISOString(),
    isMine: true,
  };
}

export function isStandIn({ _id }: CommentView): boolean {
  return _id.startsWith(prefix);
}
