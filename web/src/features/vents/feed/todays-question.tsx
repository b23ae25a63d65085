import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { questionOfTheDay } from './questions.ts';
import styles from './feed-asides.module.css';

/** An optional writing prompt. */
export function TodaysQuestion() {
  const { t } = useLingui();
  const [question] = useState(() => questionOfTheDay(Date.now()));
  return (
    <p className={styles.question}>
      <span>
        <Trans>A question for today</Trans>
      </span>
      {t(question)}
    </p>
  );
}
