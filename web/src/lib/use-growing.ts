import { startTransition, useEffect, useState } from 'react';
import { useLocation, useNavigationType } from 'react-router';
import { afterPaint } from './app-ready.ts';

/**
 * How many items of a long list to render: `step` at first, and as many more after each frame. Its layout in one task takes
 * a cheap phone a third of a second, in which no tap is answered. After Back all of them, so that the scroll position is
 * restored among them.
 */
export function useGrowing(length: number, step: number): number {
  const { key } = useLocation();
  // The first page of a tab has this key, unless it was reloaded.
  const isBack = useNavigationType() === 'POP' && key !== 'default';
  const [count, setCount] = useState(isBack ? Infinity : step);
  const isWhole = count >= length;
  useEffect(() => {
    if (!isWhole) afterPaint(() => startTransition(() => setCount(count + step)));
  }, [isWhole, count, step]);
  return count;
}
