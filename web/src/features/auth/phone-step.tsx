import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { countryName } from '../../lib/format.ts';
import { defaultCountry } from '../../lib/phone.ts';
import { Button } from '../../ui/button.tsx';
import { PhoneField } from '../../ui/phone-field.tsx';
import { countriesQuery, orderCountries } from './auth.api.ts';
import { SubmitButton } from './submit-button.tsx';
import type { CodeFlow } from './use-code-flow.ts';
import styles from './auth.module.css';

interface PhoneStepProps {
  readonly flow: CodeFlow;
  /** Shown between the number and the button, for the consent text. */
  readonly children?: ReactNode;
}

export function PhoneStep({ flow, children }: PhoneStepProps) {
  const { i18n } = useLingui();
  const { locale } = i18n;
  const { data: allowed } = useQuery(countriesQuery);
  const countries = useMemo(() => {
    const known = allowed && allowed.length > 0 ? allowed : [defaultCountry];
    return orderCountries(known, (country) => countryName(country, locale));
  }, [allowed, locale]);

  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void flow.send();
      }}
    >
      <PhoneField
        country={countries.includes(flow.country) ? flow.country : (countries[0] ?? defaultCountry)}
        number={flow.number}
        countries={countries}
        error={flow.phoneError}
        disabled={flow.busyWith !== undefined}
        onChange={flow.changePhone}
      />
      {children}
      <SubmitButton flow={flow} waitsFor="send" disabled={flow.phone === ''}>
        <Trans>Send OTP</Trans>
      </SubmitButton>
      {flow.hasCode && (
        <Button variant="quiet" disabled={flow.busyWith !== undefined} onClick={flow.enterCode}>
          <Trans>I have my OTP</Trans>
        </Button>
      )}
    </form>
  );
}
