import type { SelfUser } from '@unsaid/contract';
import type { QueryClient } from '@tanstack/react-query';
import { setCurrentUser } from './current-user.ts';

/**
 * Query key of the suggestions, a query of the matches feature. Shared because changing feelings invalidates
 * it.
 */
export const suggestionsKey = ['matches', 'suggestions'] as const;

/** Stores a user whose feelings changed, and refetches the suggestions that depend on them. */
export function setFeelings(client: QueryClient, user: SelfUser): void {
  setCurrentUser(client, user);
  void client.invalidateQueries({ queryKey: suggestionsKey });
}
