import { useEffect, useState, type ComponentProps } from 'react';
import { afterPaint } from '../lib/app-ready.ts';

/** False for the first frame. */
export function useIsInPage(): boolean {
  const [isInPage, setIsInPage] = useState(false);
  useEffect(() => afterPaint(() => setIsInPage(true)), []);
  return isInPage;
}

/**
 * A live region that comes with its words. Screen readers announce only what changes in a region that is in the page
 * already: for a frame the words take their place, and are hidden.
 */
export function Status({ children, ...rest }: Omit<ComponentProps<'p'>, 'role'>) {
  const isInPage = useIsInPage();
  return (
    <p {...rest} role="status">
      <span style={isInPage ? undefined : { visibility: 'hidden' }}>{children}</span>
    </p>
  );
}
