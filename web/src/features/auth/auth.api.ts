import {
  join,
  listCountries,
  reauthenticate,
  requestOtp,
  verifyOtp,
  type OtpPurpose,
} from '@unsaid/contract';
import { queryOptions } from '@tanstack/react-query';
import { apiCall } from '../../lib/api-client.ts';
import { nameOrder } from '../../lib/format.ts';
import { defaultCountry, dialCodes } from '../../lib/phone.ts';
import { withProofOfWork } from './proof-of-work.ts';

/** Countries of the picker, sorted by `orderCountries`. Only India until they are loaded. */
export const countriesQuery = queryOptions({
  queryKey: ['countries'],
  queryFn: async ({ signal }) => {
    const { countries } = await apiCall(listCountries, { signal });
    return countries.filter((country) => dialCodes.has(country));
  },
  staleTime: Number.POSITIVE_INFINITY,
});

export function orderCountries(countries: readonly string[], nameOf: (country: string) => string): string[] {
  const order = nameOrder();
  return countries.toSorted((a, b) => {
    if (a === defaultCountry || b === defaultCountry) return a === defaultCountry ? -1 : 1;
    return order.compare(nameOf(a), nameOf(b));
  });
}

export function sendCode(phone: string, purpose: OtpPurpose) {
  return withProofOfWork((pow) =>
    apiCall(requestOtp, { body: { phone, ...(purpose !== 'signin' && { purpose }), ...(pow && { pow }) } }),
  );
}

/** With `asksFirst`, a number without an account gets no account before the person agrees. */
export function checkCode(phone: string, otp: string, asksFirst: boolean) {
  return apiCall(verifyOtp, { body: { phone, otp, asksFirst } });
}

export function createAccount(phone: string, proof: string) {
  return apiCall(join, { body: { phone, proof, isAdultAndAgrees: true } });
}

export function confirmIdentity(phone: string, otp: string) {
  return apiCall(reauthenticate, { body: { phone, otp } });
}
