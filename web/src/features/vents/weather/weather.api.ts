import { ventWeather } from '@unsaid/contract';
import { useQuery } from '@tanstack/react-query';
import { apiCall } from '../../../lib/api-client.ts';

export const weatherKey = ['vents-weather'] as const;

export function useWeather() {
  return useQuery({
    queryKey: weatherKey,
    queryFn: async ({ signal }) => (await apiCall(ventWeather, { signal })).days,
    staleTime: 5 * 60_000,
    retry: false,
  });
}
