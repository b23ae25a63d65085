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
  reportVent,
  searchVents,
  setVentComments,
  ventsSince,
  ventWeather,
  type CommentView,
  type RequestOf,
  type Sort,
  type VentView,
} from '@unsaid/contract';
import {
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryClient,
} from '@tanstack/react-query';
import { apiCall } from '../../lib/api-client.ts';
import { readSinceCursor } from '../../lib/since-cursor.ts';
import { countDeleted } from './deleted-in-visit.ts';
import { firstPage } from './list-place.ts';
import { createReactions } from './reactions.ts';
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

/** What the specification wants only logged: a person is not troubled with it. */
function logQuietly(error: unknown): void {
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
    log: logQuietly,
    rest: () => new Promise((done) => setTimeout(done, 300)),
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
}

export interface ListPlace {
  readonly sort: Sort;
  readonly page: number;
  readonly query: string;
  /** Beyond page 10: the last vent seen. */
  readonly before: string | undefined;
}

interface ListOptions extends ListPlace {
  readonly isMine?: boolean;
}

const pageSize = limits.feedPageSize;

function listQuery(client: QueryClient, { sort, page: shownPage, query, before, isMine }: ListOptions) {
  // One's own come fifty at once: turning their pages asks for nothing more.
  const isWhole = isMine === true && before === undefined;
  const page = isWhole ? 1 : shownPage;
  return queryOptions({
    queryKey: [...ventsKey, 'list', { sort, page, query, before, isMine: isMine === true }],
    queryFn: async ({ signal }): Promise<VentPage> => {
      const slice = {
        limit: String(isWhole ? limits.myVentsFetched : pageSize),
        ...(before === undefined ? { page: String(page) } : { before }),
      };
      const answer =
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
      const vents = answer.vents.map(reactionsOf(client).withPending);
      return isWhole
        ? { vents, pageCount: Math.ceil(vents.length / pageSize), hasOlder: answer.pageCount > 1 }
        : { ...answer, vents };
    },
    select: (list) =>
      isWhole ? { ...list, vents: list.vents.slice((shownPage - 1) * pageSize, shownPage * pageSize) } : list,
    // The list somebody reads does not move under their eyes.
    refetchOnWindowFocus: false,
    placeholderData: keepPreviousData,
  });
}

/** One's own vents, or the newest, or the most felt, or those with certain words: in pages of the same kind. */
export function useVents(options: ListOptions) {
  return useQuery(listQuery(useQueryClient(), options));
}

/** One's newest vent, from My Vents if that was just loaded, else asked for by itself. */
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

/** The search page, which goes on for as long as there is more. */
export function useSearch(query: string) {
  const client = useQueryClient();
  return useInfiniteQuery({
    queryKey: [...ventsKey, 'found', query],
    queryFn: async ({ pageParam, signal }): Promise<VentPage> => {
      const answer = await apiCall(searchVents, {
        query: {
          query,
          limit: String(searchPageSize),
          ...(pageParam !== undefined && { before: pageParam }),
        },
        signal,
      });
      return { ...answer, vents: answer.vents.map(reactionsOf(client).withPending) };
    },
    // By the last one seen: what is posted meanwhile pushes nothing onto two pages.
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ vents, pageCount, hasOlder }, _, before) =>
      (before === undefined ? pageCount > 1 : hasOlder) ? vents.at(-1)?._id : undefined,
    refetchOnWindowFocus: false,
    enabled: query !== '',
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

export function useVent(id: string) {
  const client = useQueryClient();
  return useQuery({ ...oneQuery(client, id), placeholderData: () => findVent(client, id) });
}

/** A vent from a list, asked for anew when somebody looks at its comments. */
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

/** The list is asked for anew, also when it is still fresh. */
export function useReload(): () => void {
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
    mutationFn: ({ body, attempt }: NewVent) => apiCall(createVent, { body, idempotencyKey: attempt }),
    onSuccess: () => refresh(client),
  });
}

export function useDeleteVent() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => apiCall(deleteVent, { params: { id } }),
    onSuccess: (_, id) => {
      countDeleted();
      dropVent(client, id);
      // The page that shows it is about to leave; asking for it again would only find nothing.
      void client.invalidateQueries({
        queryKey: ventsKey,
        predicate: ({ queryKey }) => queryKey[1] !== 'one' || queryKey[2] !== id,
      });
      void client.invalidateQueries({ queryKey: weatherKey });
    },
  });
}

/** Opens or closes one's own vent for comments; shown at once, and taken back if it fails. */
export function useSetVentComments(ventId: string) {
  const client = useQueryClient();
  const show = (allowComments: boolean) =>
    patchVent(client, ventId, (vent) => withCommentsAllowed(vent, allowComments));
  return useMutation({
    mutationFn: (allowComments: boolean) =>
      apiCall(setVentComments, { params: { id: ventId }, body: { allowComments } }),
    onMutate: show,
    // A list that was asked for before may have arrived meanwhile.
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

export function useReportVent() {
  return useMutation({
    mutationFn: (body: RequestOf<typeof reportVent>['body']) => apiCall(reportVent, { body }),
  });
}

interface NewComment {
  readonly text: string;
  readonly isAnonymous: boolean;
  readonly attempt: string;
  /** What is shown until the server has answered. */
  readonly standIn: CommentView;
}

export function useAddComment(ventId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ text, isAnonymous, attempt }: NewComment) =>
      apiCall(commentOnVent, { body: { ventId, text, anonymous: isAnonymous }, idempotencyKey: attempt }),
    onMutate: ({ standIn }) => patchVent(client, ventId, (vent) => withComment(vent, standIn)),
    onSuccess: ({ comment }, { standIn }) =>
      patchVent(client, ventId, (vent) => withCommentConfirmed(vent, standIn._id, comment)),
    onError: (_, { standIn }) =>
      patchVent(client, ventId, (vent) =>
        vent.comments.includes(standIn) ? withoutComment(vent, standIn._id) : vent,
      ),
  });
}

/** What fails here is only logged; whoever calls shows the comment again. */
export function useDeleteComment(ventId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (comment: CommentView) =>
      apiCall(deleteComment, { params: { ventId, commentId: comment._id } }),
    onError: logQuietly,
    onSuccess: (_, { _id }) => patchVent(client, ventId, (vent) => withoutComment(vent, _id)),
  });
}

/** Comments before those that came along with the vent. */
export function useEarlierComments(ventId: string) {
  return useMutation({
    mutationFn: (before: string) => apiCall(listComments, { params: { id: ventId }, query: { before } }),
  });
}

/** Asked once per visit. Nothing is lost by asking: what was told is marked by whoever shows it. */
export function useSince(accountId: string) {
  return useQuery({
    queryKey: ['vents-since', accountId],
    queryFn: async () => apiCall(ventsSince, { query: { cursor: readSinceCursor(accountId) } }),
    staleTime: Infinity,
    gcTime: Infinity,
    retry: false,
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
