import {
  cancelRecoveryCode,
  changeNumber,
  confirmRecoveryCode,
  makeRecoveryCode,
  readRecovery,
  recoverAccount,
} from '@unsaid/contract';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { apiCall } from '../../lib/api-client.ts';
import { currentUserQuery } from '../../lib/current-user.ts';

export const recoveryQuery = queryOptions({
  queryKey: ['recovery'],
  queryFn: ({ signal }) => apiCall(readRecovery, { signal }),
});

/** A new code. It is valid only after `confirmCode`. */
export function fetchNewCode() {
  return apiCall(makeRecoveryCode);
}

export function confirmCode(proof: string) {
  return apiCall(confirmRecoveryCode, { body: { proof } });
}

/** Also stops a recovery that waits. Needs reauthentication. */
export async function cancelCode(client: QueryClient): Promise<void> {
  await apiCall(cancelRecoveryCode);
  void client.invalidateQueries(recoveryQuery);
}

/** Shows that no recovery waits any more. */
export function reloadUser(client: QueryClient): void {
  void client.invalidateQueries(currentUserQuery);
}

export function recoverWithCode(code: string) {
  return apiCall(recoverAccount, { body: { code } });
}

interface Move {
  readonly phone: string;
  readonly otp: string;
  /** If absent, the old number must have been confirmed shortly before. */
  readonly recoveryCode: string | undefined;
}

export async function moveToNumber({ phone, otp, recoveryCode }: Move): Promise<void> {
  await apiCall(changeNumber, {
    body: { phone, otp, ...(recoveryCode && { recoveryCode }) },
  });
}
