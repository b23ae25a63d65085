import { useLingui } from '@lingui/react/macro';
import { isToldHere } from '../lib/told.ts';
import { SwitchRow } from './switch-row.tsx';

/** On /listen and in the settings. */
export function ToldSwitch() {
  const { t } = useLingui();
  return (
    <SwitchRow
      label={t`Tell me when someone's waiting`}
      hint={t`Only while Unsaid is open here. 3 times a day at most, and never in your quiet hours.`}
      isOn={isToldHere.useValue()}
      onChange={isToldHere.set}
    />
  );
}
