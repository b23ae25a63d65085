import {
  closeToVoice,
  getChoices,
  hide,
  setMutes,
  unhide,
  type HideTarget,
  type Mutes,
  type UnhideTarget,
} from '@unsaid/contract';
import { queryOptions, useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { apiCall } from './api-client.ts';

/** What the user does not want to see. The server stores it, and leaves the words out of lists. */

const choicesKey = ['choices'] as const;

export const choicesQuery = queryOptions({
  queryKey: choicesKey,
  queryFn: ({ signal }) => apiCall(getChoices, { signal }),
});

/** All lists of vents and comments. Their length and order stay. */
export function refreshLists(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: choicesKey });
  void client.invalidateQueries({ queryKey: ['vents'] });
}

export const sendHide = (about: HideTarget) => apiCall(hide, { body: { about } });
export const sendUnhide = (about: UnhideTarget) => apiCall(unhide, { body: { about } });
export const sendClose = (ventId: string, commentId: string) =>
  apiCall(closeToVoice, { params: { ventId, commentId } });

export function useUnhide() {
  const client = useQueryClient();
  return useMutation({ mutationFn: sendUnhide, onSuccess: () => refreshLists(client) });
}

export function useSetMutes() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Mutes) => apiCall(setMutes, { body }),
    onSuccess: () => refreshLists(client),
  });
}
