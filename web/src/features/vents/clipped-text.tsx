import { Trans } from '@lingui/react/macro';
import { useId, useLayoutEffect, useRef, useState } from 'react';
import { cx } from '../../ui/class-names.ts';
import styles from './clipped-text.module.css';

/** As in the style sheet. */
const clippedHeight = 150;
/** A button that shows less than this many lines takes more room than they do. */
const leastHiddenLines = 4;

/** Clips a long text at 150 px, with a button to expand it in place. */
export function ClippedText({ children }: { readonly children: string }) {
  const id = useId();
  const text = useRef<HTMLElement>(null);
  const [isLong, setIsLong] = useState(false);
  const [isOpen, setIsOpen] = useState(false);

  // Before it is painted: nothing moves.
  useLayoutEffect(() => {
    const element = text.current;
    if (!element || typeof ResizeObserver === 'undefined') return;
    const measure = () => {
      const { lineHeight } = getComputedStyle(element);
      const hidden = element.scrollHeight - clippedHeight;
      // Tolerance for glyph overhang: the marks of Indian scripts extend beyond the line box.
      setIsLong(hidden > leastHiddenLines * Number.parseFloat(lineHeight) - 4);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  return (
    <div>
      <bdi ref={text} id={id} dir="auto" className={cx(styles.text, !isOpen && isLong && styles.clipped)}>
        {children}
      </bdi>
      {isLong && (
        <button
          type="button"
          className={styles.more}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? <Trans>Show less</Trans> : <Trans>Read more</Trans>}
        </button>
      )}
    </div>
  );
}
