import {
  closeAllVents,
  commentOnVent,
  createVent,
  deleteComment,
  deleteVent,
  getVent,
  limits,
  listComments,
  listVents,
  react,
  searchVents,
  setVentComments,
  ventWeather,
  type CommentView,
  type Emotion,
  type RequestOf,
  type VentView,
} from '@unsaid/contract';
import {
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useIsMutating,
  useMutation,
  useMutationState,
  useQuery,
  useQueryClient,
  type QueryClient,
} from '@tanstack/react-query';
import { ApiError, apiCall } from '../../lib/api-client.ts';
import { getAccountId } from '../../lib/session.ts';
import { unpinVent } from './compose/just-posted.ts';
import { countDeleted } from './dialogs/deleted-in-visit.ts';
import { firstPage, type ListParams } from './list-params.ts';
import { createReactions } from './reactions/reactions.ts';
import {
  dropVent,
  findVent,
  patchOwnVents,
  patchVent,
  ventsKey,
  withComment,
  withCommentConfirmed,
  withCommentsAllowed,
  withoutComment,
} from './vent-cache.ts';

/** For failures that the specification only logs. */
function logOnly(error: unknown): void {
  console.warn('unsaid:', error);
}

const reactionsByClient = new WeakMap<QueryClient, ReturnType<typeof createReactions>>();

function reactionsOf(client: QueryClient) {
  const known = reactionsByClient.get(client);
  if (known) return known;
  const made = createReactions({
    send: (ventId, reactionType, active) =>
      apiCall(react, { body: { ventId, reactionType, active }, keepalive: true }),
    change: (ventId, change) => patchVent(client, ventId, change),
    log: logOnly,
    pause: () => new Promise((done) => setTimeout(done, 300)),
  });
  reactionsByClient.set(client, made);
  return made;
}

export function useReactions() {
  return reactionsOf(useQueryClient());
}

export interface VentPage {
  readonly vents: readonly VentView[];
  readonly pageCount: number;
  readonly hasOlder: boolean;
  readonly bySound?: readonly string[] | undefined;
}

interface ListOptions extends ListParams {
  readonly isMine?: boolean;
}

const pageSize = limits.feedPageSize;

/** The query parameter of the filter. Absent without one. */
const emotionOf = (feelings: readonly Emotion[]) => feelings.length > 0 && { emotion: feelings.join() };

function listQuery(
  client: QueryClient,
  { sort, page: shownPage, query, before, feelings, isMine }: ListOptions,
) {
  // The user's own vents come fifty at once and are paged in the client.
  const isClientPaged = isMine === true && before === undefined;
  const page = isClientPaged ? 1 : shownPage;
  return queryOptions({
    queryKey: [...ventsKey, 'list', { sort, page, query, before, feelings, isMine: isMine === true }],
    queryFn: async ({ signal }): Promise<VentPage> => {
      const slice = {
        limit: String(isClientPaged ? limits.myVentsFetched : pageSize),
        ...(before === undefined ? { page: String(page) } : { before }),
        ...emotionOf(feelings),
      };
      const response =
        query !== '' && !isMine
          ? await apiCall(searchVents, { query: { query, ...slice }, signal })
          : await apiCall(listVents, {
              query: {
                sort,
                ...slice,
                ...(isMine && { mine: 'true' as const }),
                ...(query !== '' && { query }),
              },
              signal,
            });
      const vents = response.vents.map(reactionsOf(client).withPending);
      return isClientPaged
        ? {
            ...response,
            vents,
            pageCount: Math.ceil(vents.length / pageSize),
            hasOlder: response.pageCount > 1,
          }
        : { ...response, vents };
    },
    select: (list) =>
      isClientPaged
        ? { ...list, vents: list.vents.slice((shownPage - 1) * pageSize, shownPage * pageSize) }
        : list,
    // A list that is being read must not move.
    refetchOnWindowFocus: false,
    placeholderData: keepPreviousData,
  });
}

/** A page of vents: newest, trending, search results, or the user's own. */
export function useVents(options: ListOptions) {
  return useQuery(listQuery(useQueryClient(), options));
}

/** The user's newest vent: from the cache of My Vents if fresh, otherwise fetched alone. */
export function useNewestOwnVent(): VentView | undefined {
  const client = useQueryClient();
  const own = listQuery(client, { ...firstPage, isMine: true }).queryKey;
  const { data } = useQuery({
    queryKey: [...ventsKey, 'newest-own'],
    queryFn: async ({ signal }): Promise<VentPage> =>
      apiCall(listVents, { query: { mine: 'true', sort: 'recent', page: '1', limit: '1' }, signal }),
    initialData: () => client.getQueryData<VentPage>(own),
    initialDataUpdatedAt: () => client.getQueryState(own)?.dataUpdatedAt,
    refetchOnWindowFocus: false,
    retry: false,
  });
  return data?.vents[0];
}

const searchPageSize = 20;

/** Results of the search page, as an infinite query. Without words: all vents of the chosen emotions. */
export function useSearch({ query, feelings }: Pick<ListParams, 'query' | 'feelings'>) {
  const client = useQueryClient();
  return useInfiniteQuery({
    queryKey: [...ventsKey, 'found', { query, feelings }],
    queryFn: async ({ pageParam, signal }): Promise<VentPage> => {
      const slice = {
        limit: String(searchPageSize),
        ...emotionOf(feelings),
        ...(pageParam !== undefined && { before: pageParam }),
      };
      const response =
        query === ''
          ? await apiCall(listVents, { query: slice, signal })
          : await apiCall(searchVents, { query: { query, ...slice }, signal });
      return { ...response, vents: response.vents.map(reactionsOf(client).withPending) };
    },
    // Paged by cursor: new vents must not shift results onto two pages.
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ vents, pageCount, hasOlder }, _, before) =>
      (before === undefined ? pageCount > 1 : hasOlder) ? vents.at(-1)?._id : undefined,
    refetchOnWindowFocus: false,
    enabled: query !== '' || feelings.length > 0,
  });
}

function oneQuery(client: QueryClient, id: string) {
  return queryOptions({
    queryKey: [...ventsKey, 'one', id],
    queryFn: async ({ signal }): Promise<VentView> => {
      const { vent } = await apiCall(getVent, { params: { id }, signal });
      const shown = reactionsOf(client).withPending(vent);
      patchVent(client, id, () => shown);
      return shown;
    },
  });
}

/** Fetched now, with its words even if the user hid it. Lists then show it too. */
export const fetchVent = (client: QueryClient, id: string) =>
  client.fetchQuery({ ...oneQuery(client, id), staleTime: 0 });

/** A vent. `isFresh`: fetched now, even if it was a moment ago. */
export function useVent(id: string, { isFresh = false } = {}) {
  const client = useQueryClient();
  return useQuery({
    ...oneQuery(client, id),
    placeholderData: () => findVent(client, id),
    ...(isFresh && { staleTime: 0 }),
  });
}

/** A vent from a list, refetched when its comments are opened. */
export function useFreshVent(vent: VentView): VentView {
  const client = useQueryClient();
  const { data } = useQuery({ ...oneQuery(client, vent._id), staleTime: 0, placeholderData: vent });
  return data ?? vent;
}

const weatherKey = ['vents-weather'] as const;

function refresh(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: ventsKey });
  void client.invalidateQueries({ queryKey: weatherKey });
}

/** Refetches the lists, even fresh ones. */
export function useRefreshVents(): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: ventsKey });
}

interface NewVent {
  readonly body: RequestOf<typeof createVent>['body'];
  readonly attempt: string;
}

export function useCreateVent() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ body, attempt }: NewVent) => {
      const accountId = getAccountId();
      const posted = await apiCall(createVent, { body, idempotencyKey: attempt });
      // Logged out meanwhile: the next person must not be shown whose vent it is. A draft that stayed has the key.
      if (getAccountId() !== accountId) throw new ApiError({ kind: 'network' });
      return posted;
    },
    onSuccess: ({ vent }) => {
      refresh(client);
      // For the feed, which shows it at once.
      client.setQueryData(oneQuery(client, vent._id).queryKey, vent);
    },
  });
}

export function useDeleteVent() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => apiCall(deleteVent, { params: { id } }),
    onSuccess: (_, id) => {
      countDeleted();
      unpinVent(id);
      dropVent(client, id);
      // Except the deleted vent itself: its page is about to close, and a refetch would get a 404.
      void client.invalidateQueries({
        queryKey: ventsKey,
        predicate: ({ queryKey }) => queryKey[1] !== 'one' || queryKey[2] !== id,
      });
      void client.invalidateQueries({ queryKey: weatherKey });
    },
  });
}

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
    mutationFn: ({ text, isAnonymous, isSure, attempt }: NewComment) =>
      apiCall(commentOnVent, {
        body: { ventId, text, anonymous: isAnonymous, isSure },
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

export function useWeather() {
  return useQuery({
    queryKey: weatherKey,
    queryFn: async ({ signal }) => (await apiCall(ventWeather, { signal })).days,
    staleTime: 5 * 60_000,
    retry: false,
  });
}
