import type { CaseView } from '@unsaid/contract/moderation/console';
import { countdownWords } from '../../lib/time-words.ts';
import { useNow } from '../../lib/use-now.ts';

export interface Lease {
  readonly isMine: boolean;
  readonly left: string;
  /** So little is left that it should be extended. */
  readonly isShort: boolean;
}

const shortMs = 2 * 60_000;

/** The caller's lease as the clock sees it: the server's word is as old as the last call. */
export function useLease({ lease, leasedUntil }: CaseView): Lease {
  const now = useNow(1000);
  const leftMs = leasedUntil === null ? 0 : Date.parse(leasedUntil) - now;
  const isMine = lease === 'mine' && leftMs > 0;
  return {
    isMine,
    left: leasedUntil === null ? '' : countdownWords(leasedUntil, now),
    isShort: isMine && leftMs < shortMs,
  };
}
