/** Goes along when a vent has just been posted: a quiet moment waits on the feed, where it will be seen. */
export const postedHere = { justPosted: 'here' } as const;
export const postedElsewhere = { justPosted: 'elsewhere' } as const;

export function readJustPosted(state: unknown): 'here' | 'elsewhere' | null {
  if (typeof state !== 'object' || state === null || !('justPosted' in state)) return null;
  return state.justPosted === 'elsewhere' ? 'elsewhere' : 'here';
}
