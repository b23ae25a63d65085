import { errorKinds } from '@unsaid/contract';
import { errorCodeOf, isDatabaseUnavailable, isSchemaLost } from '../db-errors.ts';
import { AppError } from '../errors.ts';
import type { Metrics } from '../metrics.ts';
import { StandbyBehind, type StandbyWatch } from './watch.ts';

/**
 * Sends reads to a standby where there is one, it is fresh, and the caller has not just written. Needed from ten million
 * people a month on (docs/capacity.md).
 */
export interface Reads<Db> {
  /** `read` may run twice: on the standby and, if that fails or finds nothing, on the primary. */
  run<T>(caller: { readonly isPinned: boolean }, read: (from: Db) => Promise<T>): Promise<T>;
}

export interface ReadableStandby<Db> {
  readonly handle: Db;
  /** Whether reads wait for a connection there. */
  isBusy(): boolean;
  readonly watch: Pick<StandbyWatch, 'isFresh' | 'distrust'>;
}

/** A statement that the standby cancelled because it had to remove rows that the statement still saw. */
const isConflict = (error: unknown) => ['40001', '40P01'].includes(errorCodeOf(error));
/** Others may have written it a moment ago. */
const isNotFound = (error: unknown) => error instanceof AppError && errorKinds[error.code].status === 404;

export function createReads<Db>(
  primary: Db,
  standby: ReadableStandby<Db> | null,
  metrics: Metrics,
): Reads<Db> {
  if (!standby) return { run: (_caller, read) => read(primary) };
  const { handle, watch, isBusy } = standby;
  const [toStandby, pinned, shared, fallback] = ['standby', 'pinned', 'shared', 'fallback'].map((to) =>
    metrics.contentReads.labels({ to }),
  ) as [Counted, Counted, Counted, Counted];
  return {
    async run({ isPinned }, read) {
      if (isPinned) {
        pinned.inc();
        return read(primary);
      }
      // Both servers read when there is more than one of them can do.
      if (isBusy()) {
        shared.inc();
        return read(primary);
      }
      if (watch.isFresh()) {
        try {
          const found = await read(handle);
          toStandby.inc();
          return found;
        } catch (error) {
          const isAway =
            error instanceof StandbyBehind || isDatabaseUnavailable(error) || isSchemaLost(error);
          if (isAway) watch.distrust();
          else if (!isConflict(error) && !isNotFound(error)) throw error;
        }
      }
      fallback.inc();
      return read(primary);
    },
  };
}

interface Counted {
  inc(): void;
}
