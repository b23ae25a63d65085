import type { SelfUser } from '@unsaid/contract';
import type { QueryClient } from '@tanstack/react-query';
import { setSelf } from './self.ts';

/** The query of the suggestions belongs to matches; it is known here because naming feelings changes them. */
export const suggestionsKey = ['matches', 'suggestions'] as const;

/** After feelings were named, wherever that was done: people who fit are looked for anew. */
export function setFeelings(client: QueryClient, user: SelfUser): void {
  setSelf(client, user);
  void client.invalidateQueries({ queryKey: suggestionsKey });
}
