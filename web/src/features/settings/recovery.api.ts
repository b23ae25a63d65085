import { changeNumber, makeRecoveryCode, readRecovery, recoverAccount } from '@unsaid/contract';
import { queryOptions } from '@tanstack/react-query';
import { apiCall } from '../../lib/api-client.ts';

/** The day the recovery code was made; null where there is none. */
export const recoveryQuery = queryOptions({
  queryKey: ['recovery'],
  queryFn: async ({ signal }) => (await apiCall(readRecovery, { signal })).madeOn,
});

export function fetchNewCode() {
  return apiCall(makeRecoveryCode);
}

export function bringAccountBack(code: string) {
  return apiCall(recoverAccount, { body: { code } });
}

interface Move {
  readonly phone: string;
  readonly otp: string;
  /** Without one, the old number has to have been confirmed a moment ago. */
  readonly recoveryCode: string | undefined;
}

export async function moveToNumber({ phone, otp, recoveryCode }: Move): Promise<void> {
  await apiCall(changeNumber, {
    body: { phone, otp, ...(recoveryCode && { recoveryCode }) },
  });
}
