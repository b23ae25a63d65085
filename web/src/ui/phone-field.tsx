import { useLingui } from '@lingui/react/macro';
import { useId, type Ref } from 'react';
import { countryName } from '../lib/format.ts';
import { defaultCountry, dialCodes, splitPhone } from '../lib/phone.ts';
import { cx } from './class-names.ts';
import { FieldFrame } from './field.tsx';
import { Icon } from './icon.tsx';
import expandMore from '@material-symbols/svg-400/rounded/keyboard_arrow_down.svg?path';
import fieldStyles from './field.module.css';
import styles from './phone-field.module.css';

interface PhoneFieldProps {
  readonly country: string;
  readonly number: string;
  /** ISO codes, in display order. */
  readonly countries: readonly string[];
  readonly onChange: (country: string, number: string) => void;
  readonly error?: string | undefined;
  readonly disabled?: boolean;
  readonly ref?: Ref<HTMLInputElement>;
}

/** A native `select` under a styled label: phones show their own list of countries for it. */
export function PhoneField({ country, number, countries, onChange, error, disabled, ref }: PhoneFieldProps) {
  const { t } = useLingui();
  const id = useId();
  const dial = dialCodes.get(country) ?? '';
  return (
    <FieldFrame label={t`Phone number`} id={id} error={error}>
      <div className={styles.row}>
        <div className={cx(fieldStyles.input, styles.country)}>
          <span aria-hidden="true">
            {country} +{dial}
          </span>
          <Icon path={expandMore} size={20} />
          <select
            aria-label={t`Country`}
            autoComplete="country"
            value={country}
            disabled={disabled}
            onChange={(event) => onChange(event.target.value, number)}
          >
            {countries.map((code) => (
              <option key={code} value={code}>
                {countryName(code)} +{dialCodes.get(code) ?? ''}
              </option>
            ))}
          </select>
        </div>
        <input
          ref={ref}
          id={id}
          className={fieldStyles.input}
          type="tel"
          inputMode="tel"
          // Autofill would store the number and offer it to the next person on a shared phone.
          autoComplete="off"
          dir="ltr"
          maxLength={24}
          // With “e.g.”, so that it does not look like a number that is filled in.
          placeholder={country === defaultCountry ? t`e.g. 98765 43210` : undefined}
          value={number}
          readOnly={disabled}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-error` : undefined}
          onChange={(event) => onChange(country, event.target.value.replace(/[^\d+() -]/gu, ''))}
          onBlur={() => {
            const split = splitPhone(number, country, countries);
            if (split) onChange(split.country, split.number);
          }}
        />
      </div>
    </FieldFrame>
  );
}
