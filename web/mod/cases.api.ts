import {
  getCase,
  listCases,
  nextCase,
  type CaseView,
  type caseFilters,
} from '@unsaid/contract/moderation/console';
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { call } from './api.ts';
import { announce } from './lib/announce.ts';
import { failureWords } from './lib/failure-words.ts';
import { useMe } from './session.ts';

export type CaseFilter = (typeof caseFilters)[number];

export const casesQuery = (show: CaseFilter, page: number) =>
  queryOptions({
    queryKey: ['cases', show, page],
    queryFn: () => call(listCases, { query: { show, page: String(page) } }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });

export const caseQuery = (id: string) =>
  queryOptions({
    queryKey: ['case', id],
    queryFn: async () => (await call(getCase, { params: { id } })).case,
    // Not renewed by itself: the version that is decided on must be the one that was read.
    staleTime: Infinity,
  });

/** What changes the stored view of a case. */
export function useCaseCache(id: string) {
  const client = useQueryClient();
  return {
    put: (view: CaseView) => client.setQueryData(caseQuery(id).queryKey, view),
    reload: () => client.invalidateQueries({ queryKey: ['case', id] }),
    reloadLists: () => client.invalidateQueries({ queryKey: ['cases'] }),
  };
}

const nothingWaits = 'Nothing is waiting. Well done, all of you.';
/** Severe ones may wait: the server gives none to somebody who has read enough of them today. */
const nothingMildWaits =
  "No lighter case is waiting, and you've read enough hard texts for today. That's it for you: rest well.";

/** Takes the next case and opens it. */
export function useNextCase() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { severeLeft } = useMe();
  return useMutation({
    mutationFn: () => call(nextCase),
    onSuccess: ({ case: view }) => {
      void client.invalidateQueries({ queryKey: ['cases'] });
      if (!view) {
        announce(severeLeft > 0 ? nothingWaits : nothingMildWaits);
        return navigate('/');
      }
      client.setQueryData(caseQuery(view.id).queryKey, view);
      announce('');
      return navigate(`/cases/${view.id}`);
    },
    onError: (error) => announce(failureWords(error)),
  });
}
