import { needs, type Need } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import choiceStyles from '../../../ui/choice.module.css';
import fieldStyles from '../../../ui/field.module.css';

interface NeedPickerProps {
  readonly value: Need | undefined;
  readonly onChange: (need: Need | undefined) => void;
}

export function useNeedLabels(): Readonly<Record<Need, string>> {
  const { t } = useLingui();
  return {
    listen: t`Just listen`,
    advice: t`Advice welcome`,
    been_there: t`Been there?`,
    hug: t`A hug, no words`,
  };
}

/** What would help, or nothing: toggle buttons, because a radio button cannot be taken back. */
export function NeedPicker({ value, onChange }: NeedPickerProps) {
  const { t } = useLingui();
  const labels = useNeedLabels();
  return (
    <fieldset>
      <legend className={fieldStyles.label}>{t`What would help?`}</legend>
      <div className={choiceStyles.options}>
        {needs.map((need) => (
          <button
            key={need}
            type="button"
            aria-pressed={need === value}
            className={choiceStyles.option}
            onClick={() => onChange(need === value ? undefined : need)}
          >
            {labels[need]}
          </button>
        ))}
      </div>
      <p role="status" className={fieldStyles.hint}>
        {value === 'hug' && t`No comments then, just hugs.`}
      </p>
    </fieldset>
  );
}
