import {
  changeNumber,
  confirmRecoveryCode,
  makeRecoveryCode,
  readRecovery,
  recoverAccount,
} from '@unsaid/contract';
import { queryOptions } from '@tanstack/react-query';
import { apiCall } from '../../lib/api-client.ts';

/** The day the recovery code was confirmed, or null. */
export const recoveryQuery = queryOptions({
  queryKey: ['recovery'],
  queryFn: async ({ signal }) => (await apiCall(readRecovery, { signal })).madeOn,
});

/** A new code. It is valid only after `confirmCode`. */
export function fetchNewCode() {
  return apiCall(makeRecoveryCode);
}

export function confirmCode(proof: string) {
  return apiCall(confirmRecoveryCode, { body: { proof } });
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
