/** Goes along when a vent has just been posted: one quiet line waits on the feed. */
export const justPosted = { hasJustPosted: true } as const;

export function hasJustPosted(state: unknown): boolean {
  return typeof state === 'object' && state !== null && 'hasJustPosted' in state;
}
