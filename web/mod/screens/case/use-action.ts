import { useMutation } from '@tanstack/react-query';
import { useCaseCache } from '../../cases.api.ts';
import { failureWords, hasCode } from '../../lib/failure-words.ts';

/** One action on a case. If it fails because the case is not as it was, the case is read again. */
export function useAction<T>(caseId: string, act: () => Promise<T>, onDone: (result: T) => void) {
  const cache = useCaseCache(caseId);
  const action = useMutation({
    mutationFn: act,
    onSuccess: onDone,
    onError: (error) => {
      if (hasCode(error, 'CASE_CHANGED', 'CASE_CLOSED', 'LEASE_LOST')) void cache.reload();
    },
  });
  return {
    start: () => {
      if (!action.isPending) action.mutate();
    },
    isBusy: action.isPending,
    failure: action.isError ? failureWords(action.error) : null,
    error: action.error,
    reset: action.reset,
  };
}
