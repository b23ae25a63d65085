import { agreeToNotice, getAgreement, getGrievanceOfficer, getLedger } from '@unsaid/contract';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { apiCall } from '../../lib/api-client.ts';

export const ledgerQuery = queryOptions({
  queryKey: ['ledger'],
  queryFn: ({ signal }) => apiCall(getLedger, { signal }),
});

const imprint = queryOptions({
  queryKey: ['imprint'],
  queryFn: ({ signal }) => apiCall(getGrievanceOfficer, { signal }),
});
export const officerQuery = queryOptions({ ...imprint, select: ({ officer }) => officer });
export const operatorQuery = queryOptions({ ...imprint, select: ({ operator }) => operator });

export const agreementQuery = queryOptions({
  queryKey: ['agreement'],
  queryFn: async ({ signal }) => (await apiCall(getAgreement, { signal })).version,
  staleTime: Number.POSITIVE_INFINITY,
});

export function useAgree(version: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => apiCall(agreeToNotice, { body: { version } }),
    onSuccess: () => client.setQueryData(agreementQuery.queryKey, version),
  });
}
