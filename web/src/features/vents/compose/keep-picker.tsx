import type { KeepDays } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import { Choice } from '../../../ui/choice.tsx';

interface KeepPickerProps {
  readonly value: KeepDays | undefined;
  readonly onChange: (days: KeepDays | undefined) => void;
}

/** How long a vent stays. Until it is deleted, unless its author says otherwise. */
export function KeepPicker({ value, onChange }: KeepPickerProps) {
  const { t } = useLingui();
  const days = { always: undefined, week: 7, day: 1 } as const;
  return (
    <Choice
      legend={t`It stays`}
      options={[
        { value: 'always', label: t`Until I delete it` },
        { value: 'week', label: t`7 days` },
        { value: 'day', label: t`24 hours` },
      ]}
      hint={value && t`Then it's gone for everyone, comments too.`}
      value={value === 7 ? 'week' : value === 1 ? 'day' : 'always'}
      onChange={(chosen) => onChange(days[chosen])}
    />
  );
}
