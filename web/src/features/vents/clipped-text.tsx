import { Trans } from '@lingui/react/macro';
import { useEffect, useId, useRef, useState } from 'react';
import { cx } from '../../ui/class-names.ts';
import styles from './clipped-text.module.css';

/** Clips a long text at 150 px, with a button to expand it in place. */
export function ClippedText({ children }: { readonly children: string }) {
  const id = useId();
  const text = useRef<HTMLElement>(null);
  const [isLong, setIsLong] = useState(false);
  const [isOpen, setIsOpen] = useState(false);

  useEffect(() => {
    const element = text.current;
    if (!element || typeof ResizeObserver === 'undefined') return;
    const measure = () => {
      // Tolerance for glyph overhang: the marks of Indian scripts extend beyond the line box.
      if (!isOpen) setIsLong(element.scrollHeight > element.clientHeight + 4);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [isOpen]);

  return (
    <div>
      <bdi
        ref={text}
        id={id}
        dir="auto"
        className={cx(styles.text, !isOpen && styles.clipped, !isOpen && isLong && styles.fading)}
      >
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
