import { AppError } from './errors.ts';

/** At most so much work at a time. The rest waits in its order, or is refused where more waits than `mostWaiting`. */
export function createSemaphore(count: number, mostWaiting = Infinity) {
  const queue: (() => void)[] = [];
  let free = count;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else if (queue.length >= mostWaiting)
      throw new AppError('TEMPORARILY_UNAVAILABLE', { retryAfterSeconds: 5 });
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else free += 1;
    }
  };
}
