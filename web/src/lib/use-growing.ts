import { startTransition, useEffect, useState } from 'react';
import { afterPaint } from './app-ready.ts';

/**
 * How many items of a long list to render: `step` at first, and as many more after each frame. Its layout in one task takes
 * a cheap phone a third of a second, in which no tap is answered.
 */
export function useGrowing(length: number, step: number): number {
  const [count, setCount] = useState(step);
  const isWhole = count >= length;
  useEffect(() => {
    if (!isWhole) afterPaint(() => startTransition(() => setCount(count + step)));
  }, [isWhole, count, step]);
  return count;
}
