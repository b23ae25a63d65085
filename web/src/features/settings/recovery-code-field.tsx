import { limits } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import { TextField } from '../../ui/field.tsx';

interface RecoveryCodeFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string;
  readonly error?: string | undefined;
}

/** Typed from paper. Autofill, autocorrect and storage are off. */
export function RecoveryCodeField({ onChange, ...rest }: RecoveryCodeFieldProps) {
  const { t } = useLingui();
  return (
    <TextField
      {...rest}
      label={t`Recovery code`}
      onChange={(event) => onChange(event.target.value)}
      maxLength={limits.recoveryCodeChars}
      autoComplete="off"
      autoCapitalize="characters"
      spellCheck={false}
      dir="ltr"
    />
  );
}
