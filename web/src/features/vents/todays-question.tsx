import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { questionOfTheDay } from './questions.ts';
import styles from './quiet.module.css';

/** For whoever does not know how to begin. Nobody has to answer it. */
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
