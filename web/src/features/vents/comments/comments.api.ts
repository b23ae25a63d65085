import {
  closeAllVents,
  commentOnVent,
  deleteComment,
  listComments,
  setVentComments,
  type CommentView,
  type Door,
} from '@unsaid/contract';
import { useIsMutating, useMutation, useMutationState, useQueryClient } from '@tanstack/react-query';
import { apiCall, logOnly } from '../../../lib/api-client.ts';
import {
  patchOwnVents,
  patchVent,
  withComment,
  withCommentConfirmed,
  withCommentsAllowed,
  withoutComment,
} from '../vent-cache.ts';

/** Opens or closes comments on the user's own vent. Optimistic, with rollback on failure. */
export function useSetVentComments(ventId: string) {
  const client = useQueryClient();
  const show = (allowComments: boolean) =>
    patchVent(client, ventId, (vent) => withCommentsAllowed(vent, allowComments));
  return useMutation({
    mutationFn: (allowComments: boolean) =>
      apiCall(setVentComments, { params: { id: ventId }, body: { allowComments } }),
    onMutate: show,
    // Applied again: a list requested earlier may have arrived meanwhile.
    onSuccess: (_, allowComments) => show(allowComments),
    onError: (_, allowComments) => show(!allowComments),
  });
}

export function useCloseAllVents() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => apiCall(closeAllVents),
    onSuccess: () => patchOwnVents(client, (vent) => withCommentsAllowed(vent, false)),
  });
}

interface NewComment {
  readonly text: string;
  readonly isAnonymous: boolean;
  readonly isSure: boolean;
  readonly door: Door;
  readonly attempt: string;
  /** Shown until the server responds. */
  readonly optimistic: CommentView;
}

const addCommentKey = (ventId: string) => ['add-comment', ventId];

export function useIsAddingComment(ventId: string): boolean {
  return useIsMutating({ mutationKey: addCommentKey(ventId) }) > 0;
}

export function useAddComment(ventId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationKey: addCommentKey(ventId),
    mutationFn: ({ text, isAnonymous, isSure, door, attempt }: NewComment) =>
      apiCall(commentOnVent, {
        body: { ventId, text, anonymous: isAnonymous, isSure, door },
        idempotencyKey: attempt,
      }),
    onMutate: ({ optimistic }) => patchVent(client, ventId, (vent) => withComment(vent, optimistic)),
    onSuccess: ({ comment }, { optimistic }) =>
      patchVent(client, ventId, (vent) => withCommentConfirmed(vent, optimistic._id, comment)),
    onError: (_, { optimistic }) =>
      patchVent(client, ventId, (vent) =>
        vent.comments.includes(optimistic) ? withoutComment(vent, optimistic._id) : vent,
      ),
  });
}

const deleteCommentKey = (ventId: string) => ['delete-comment', ventId];

interface CommentDeletion {
  readonly commentId: string;
  readonly response: Promise<unknown>;
}

/**
 * Failures are only logged. The caller restores the comment. The request is sent before the mutation starts:
 * when the page closes there is no later, and at log-out the token is gone.
 */
export function useDeleteComment(ventId: string) {
  const client = useQueryClient();
  const { mutateAsync } = useMutation({
    mutationKey: deleteCommentKey(ventId),
    mutationFn: ({ response }: CommentDeletion) => response,
    onError: logOnly,
    onSuccess: (_, { commentId }) => patchVent(client, ventId, (vent) => withoutComment(vent, commentId)),
  });
  return ({ _id: commentId }: CommentView) =>
    mutateAsync({
      commentId,
      response: apiCall(deleteComment, { params: { ventId, commentId }, keepalive: true }),
    });
}

/** Ids of comments whose deletion has been sent, also from a list that was closed meanwhile. */
export function useCommentDeletions(ventId: string): readonly string[] {
  return useMutationState({
    filters: { mutationKey: deleteCommentKey(ventId), status: 'pending' },
    select: ({ state }) => (state.variables as CommentDeletion).commentId,
  });
}

/** Comments before a given one, or from a given one on. */
export function useMoreComments(ventId: string) {
  return useMutation({
    mutationFn: (query: { readonly before: string } | { readonly from: string }) =>
      apiCall(listComments, { params: { id: ventId }, query }),
  });
}
