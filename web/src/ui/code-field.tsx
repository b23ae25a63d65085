import { limits } from '@unsaid/contract';
import { OTPField } from '@base-ui/react/otp-field';
import { useLingui } from '@lingui/react/macro';
import { useId, type Ref } from 'react';
import { FieldFrame } from './field.tsx';
import styles from './code-field.module.css';

interface CodeFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Called when all boxes are filled, to submit without a button. */
  readonly onComplete: (value: string) => void;
  readonly error?: string | undefined;
  readonly isBusy?: boolean;
  readonly firstBox?: Ref<HTMLInputElement>;
}

export function CodeField({ value, onChange, onComplete, error, isBusy, firstBox }: CodeFieldProps) {
  const { t } = useLingui();
  const id = useId();
  return (
    <FieldFrame label={t`Code`} id={id} error={error}>
      <OTPField.Root
        id={id}
        className={styles.boxes}
        length={limits.otpLength}
        value={value}
        onValueChange={onChange}
        onValueComplete={onComplete}
        readOnly={isBusy ?? false}
        inputMode="numeric"
        autoComplete="one-time-code"
        data-error={error ? '' : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
      >
        {Array.from({ length: limits.otpLength }, (_, index) => (
          <OTPField.Input
            key={index}
            ref={index === 0 ? firstBox : undefined}
            className={styles.box}
            aria-invalid={error ? true : undefined}
            aria-label={t`Digit ${index + 1} of ${limits.otpLength}`}
          />
        ))}
      </OTPField.Root>
    </FieldFrame>
  );
}
