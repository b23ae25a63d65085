/**
 * Marks a journey of the full tier, which runs each night. Every other journey is in the change tier and runs for each
 * commit. The sentence says what it costs to find the fault a day later, or which test of the change tier finds the
 * same fault.
 */
export const fullTier = (cost: string) => ({
  tag: '@full',
  annotation: { type: 'a day later', description: cost },
});
