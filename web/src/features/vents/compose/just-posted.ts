/** History state after posting. The feed then shows the after-posting note. */
export const postedHere = { justPosted: 'here' } as const;
export const postedElsewhere = { justPosted: 'elsewhere' } as const;

export function readJustPosted(state: unknown): 'here' | 'elsewhere' | null {
  if (typeof state !== 'object' || state === null || !('justPosted' in state)) return null;
  return state.justPosted === 'elsewhere' ? 'elsewhere' : 'here';
}
