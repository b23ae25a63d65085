import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { questionOfTheDay } from './questions.ts';
import styles from './composer.module.css';

interface TodaysQuestionProps {
  /** False once there is a title: it is never overwritten. */
  readonly isUsable: boolean;
  readonly onUse: (question: string) => void;
}

/** An optional writing prompt, which can become the title. */
export function TodaysQuestion({ isUsable, onUse }: TodaysQuestionProps) {
  const { t } = useLingui();
  const [question] = useState(() => questionOfTheDay(Date.now()));
  return (
    <button type="button" className={styles.question} disabled={!isUsable} onClick={() => onUse(t(question))}>
      <span className={styles.small}>
        <Trans>A question for today</Trans>
      </span>
      <span className={styles.asked}>{t(question)}</span>
      {isUsable && (
        <span className={styles.use}>
          <Trans>Use as title</Trans>
        </span>
      )}
    </button>
  );
}
