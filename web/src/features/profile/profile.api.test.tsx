import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderHook } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { testSelf } from '../../lib/testing.tsx';
import { useSaveProfile } from './profile.api.ts';

test('saving changes the username only if it differs and is not blank (S5.5)', async () => {
  let requests: string[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation((address) => {
    requests.push(typeof address === 'string' ? address : '');
    return Promise.resolve(Response.json({ success: true, user: testSelf }));
  });
  const client = new QueryClient();
  const { result } = renderHook(() => useSaveProfile(), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  });
  for (const [username, calls] of [
    ['calm_river', ['update-details']],
    ['', ['update-details']],
    ['calm_sea', ['change-username', 'update-details']],
  ] as const) {
    requests = [];
    await result.current.mutateAsync({ self: testSelf, username, details: { bio: 'hello' } });
    expect(requests.map((path) => path.split('/').at(-1))).toEqual(calls);
  }
});
