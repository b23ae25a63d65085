import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { Button } from '../../ui/button.tsx';
import ui from '../../ui/ui.module.css';
import styles from './case.module.css';

/** After a decision: the next case is one key away. */
export function DonePanel({ isBusy, onNext }: { readonly isBusy: boolean; readonly onNext: () => void }) {
  const next = useRef<HTMLButtonElement>(null);
  useEffect(() => next.current?.focus(), []);
  return (
    <section className={`${ui.card} ${styles.form}`} aria-labelledby="done">
      <h2 id="done">Done</h2>
      <p>Take your time. The next one comes when you ask for it.</p>
      <div className={ui.row}>
        <Button ref={next} variant="primary" shortcut="N" isBusy={isBusy} onClick={onNext}>
          Next case
        </Button>
        <Link to="/">All cases</Link>
      </div>
    </section>
  );
}
