import { emotions, readingLanguages, type ReadingLanguage } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import { cx } from '../../../ui/class-names.ts';
import { emotionClass, emotionLabel } from '../../../ui/emotion.tsx';
import { Fold } from '../../../ui/fold.tsx';
import { SwitchRow } from '../../../ui/switch-row.tsx';
import { heavierToo, knownFeelings, readLanguages } from './listening-settings.ts';
import fieldStyles from '../../../ui/field.module.css';
import filterStyles from '../search/feeling-filter.module.css';
import styles from './listen.module.css';

/** Each language is named in itself. */
const languageNames: Readonly<Record<ReadingLanguage, string>> = {
  en: 'English',
  hi: 'हिन्दी',
  hinglish: 'Hinglish',
};

/** What the listener would like to hear. Kept in this browser. */
export function ListeningChoices() {
  const { t } = useLingui();
  const languages = readLanguages.useValue();
  const feelings = knownFeelings.useValue();
  return (
    <Fold title={t`What you'd like to hear`} state={t`Stays on this phone.`}>
      <ChipGroup
        label={t`Languages I read`}
        options={readingLanguages.map((one) => ({ value: one, label: languageNames[one] }))}
        chosen={languages}
        onToggle={readLanguages.toggle}
      />
      <ChipGroup
        label={t`I've been through this`}
        options={emotions.map((one) => ({
          value: one,
          label: emotionLabel(one),
          className: emotionClass(one),
        }))}
        chosen={feelings}
        onToggle={knownFeelings.toggle}
      />
      <SwitchRow
        label={t`Heavier ones too`}
        hint={t`You'll see them first.`}
        isOn={heavierToo.useValue()}
        onChange={heavierToo.set}
      />
    </Fold>
  );
}

interface ChipGroupProps<V extends string> {
  readonly label: string;
  readonly options: readonly {
    readonly value: V;
    readonly label: string;
    readonly className?: string | undefined;
  }[];
  readonly chosen: readonly V[];
  readonly onToggle: (value: V) => void;
}

/** Any number of chips. */
function ChipGroup<V extends string>({ label, options, chosen, onToggle }: ChipGroupProps<V>) {
  return (
    <fieldset>
      <legend className={fieldStyles.label}>{label}</legend>
      <div className={styles.chips}>
        {options.map(({ value, label: name, className }) => (
          <button
            key={value}
            type="button"
            aria-pressed={chosen.includes(value)}
            className={cx(filterStyles.chip, className)}
            onClick={() => onToggle(value)}
          >
            {name}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
