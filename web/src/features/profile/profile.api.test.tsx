import type { SelfUser } from '@unsaid/contract';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderHook } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { useSaveProfile } from './profile.api.ts';

const self: SelfUser = {
  _id: 'u1',
  username: 'calm_river',
  bio: '',
  profilePic: '/avatars/x.svg',
  interests: [],
  likes: [],
  dislikes: [],
  allowComments: true,
  preferences: { matchPreference: null, anonymousChat: true },
  profileCompleted: true,
};

it('changes the username only if it differs and is not blank', async () => {
  let asked: string[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation((address) => {
    asked.push(typeof address === 'string' ? address : '');
    return Promise.resolve(Response.json({ success: true, user: self }));
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
    asked = [];
    await result.current.mutateAsync({ self, username, details: { bio: 'hello' } });
    expect(asked.map((path) => path.split('/').at(-1))).toEqual(calls);
  }
});
