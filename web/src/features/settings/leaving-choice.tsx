import { leavingSpans, type LeavingSpan } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useId, type ReactNode } from 'react';
import { Fold } from '../../ui/fold.tsx';
import fieldStyles from '../../ui/field.module.css';
import styles from './leaving-choice.module.css';

interface LeavingChoiceProps {
  readonly value: LeavingSpan;
  readonly onChange: (span: LeavingSpan) => void;
}

/** What happens to the user's vents and comments, and what an observer can learn from each option. */
export function LeavingChoice({ value, onChange }: LeavingChoiceProps) {
  const { t } = useLingui();
  const id = useId();
  const spans: Readonly<
    Record<LeavingSpan, { readonly title: string; readonly what: string; readonly why: ReactNode }>
  > = {
    '30days': {
      title: t`Remove them over 30 days`,
      what: t`Hardest to trace to you.`,
      why: (
        <Trans>
          Each vent and comment goes at its own random time. Someone watching sees things disappear, but not
          which of the people who left in those weeks wrote them.
        </Trans>
      ),
    },
    '3days': {
      title: t`Remove them within 3 days`,
      what: t`Faster, and easier to trace.`,
      why: (
        <Trans>
          Faster. But on most days you may be the only one leaving, so someone who noticed you left could tell
          which were yours.
        </Trans>
      ),
    },
    never: {
      title: t`Leave them up, with no link to me`,
      what: t`They can't be deleted later.`,
      why: (
        <Trans>
          Nothing vanishes, so nothing points to you. But you can't have them deleted later: nobody could tell
          they were yours, not even us.
        </Trans>
      ),
    },
  };
  return (
    <fieldset>
      <legend className={fieldStyles.label}>{t`What happens to your vents and comments?`}</legend>
      <p className={styles.reason}>
        <Trans>
          They take time on purpose: words that vanish together would show that one person wrote them all.
        </Trans>
      </p>
      <div className={styles.options}>
        {leavingSpans.map((span) => (
          <label key={span} className={styles.option}>
            <input
              type="radio"
              name={id}
              value={span}
              checked={span === value}
              aria-labelledby={`${id}-${span}`}
              aria-describedby={`${id}-${span}-what`}
              onChange={() => onChange(span)}
            />
            <span id={`${id}-${span}`} className={styles.title}>
              {spans[span].title}
            </span>
            <span id={`${id}-${span}-what`} className={styles.what}>
              {spans[span].what}
            </span>
          </label>
        ))}
      </div>
      <Fold isQuiet title={<Trans>Why?</Trans>}>
        <dl className={styles.why}>
          {leavingSpans.map((span) => (
            <div key={span}>
              <dt>{spans[span].title}</dt>
              <dd>{spans[span].why}</dd>
            </div>
          ))}
        </dl>
        <p>
          <Trans>Comments you made under your name can show it for up to 30 days more.</Trans>
        </p>
      </Fold>
    </fieldset>
  );
}
