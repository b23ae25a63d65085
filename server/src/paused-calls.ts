import {
  acceptMatch,
  commentOnVent,
  createVent,
  logout,
  markInboxSeen,
  matchSuggestions,
  openLiveTicket,
  pollLiveCounts,
  releaseHeldVent,
  type Endpoint,
} from '@unsaid/contract';
import type { SwitchName, Switches } from './platform/switches.ts';

/** The calls that each switch turns off. Signing up is no call of its own: it follows from a code. */
export const callsOf: Readonly<
  Record<Exclude<SwitchName, 'writing' | 'sign-up' | 'maintenance'>, readonly Endpoint[]>
> = {
  vents: [createVent, releaseHeldVent],
  comments: [commentOnVent],
  // Whoever is matched can still look, take back and end.
  matches: [matchSuggestions, acceptMatch],
  // Browsers poll instead.
  live: [openLiveTicket],
};

/** Calls that change no row, and leaving: they work while nothing can be written. */
const openWithoutWriting = new Set<Endpoint>([markInboxSeen, openLiveTicket, pollLiveCounts, logout]);

/** A search for suggestions stores its pairs, though it is a GET. */
export const isWriting = (endpoint: Endpoint): boolean =>
  endpoint === matchSuggestions || (endpoint.method !== 'GET' && !openWithoutWriting.has(endpoint));

export function isPaused(switches: Pick<Switches, 'isOff'>, endpoint: Endpoint): boolean {
  if ((switches.isOff('writing') || switches.isOff('maintenance')) && isWriting(endpoint)) return true;
  return Object.entries(callsOf).some(
    ([name, calls]) => calls.includes(endpoint) && switches.isOff(name as SwitchName),
  );
}
