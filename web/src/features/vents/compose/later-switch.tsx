import { useLingui } from '@lingui/react/macro';
import { SwitchRow } from '../../../ui/switch-row.tsx';
import { draftPlace, useShownLevel } from '../crisis/crisis-guard.ts';
import { useUsuallyWithin } from '../held/held.api.ts';

interface LaterSwitchProps {
  readonly isOn: boolean;
  /** A partner of a conversation may have seen when this person writes. */
  readonly hasChatted: boolean;
  readonly text: string;
  /** Somebody writes. Asked by everybody who does, whatever they choose: the request tells nothing. */
  readonly isWriting: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** Whether a vent goes out a little later. */
export function LaterSwitch({ isOn, hasChatted, text, isWriting, onChange }: LaterSwitchProps) {
  const { t } = useLingui();
  const within = useUsuallyWithin(isWriting);
  const isCardShown = (useShownLevel(draftPlace, text) ?? 0) > 0;
  const later = [
    isCardShown
      ? t`Nobody reads it until it goes out.`
      : t`Goes out among other posts, so its time doesn't point to you.`,
    within,
  ];
  const now = hasChatted ? t`Shows this minute. Someone you chat with could guess it's yours.` : undefined;
  return (
    <SwitchRow
      label={t`Post a little later`}
      hint={hasChatted && !isOn ? now : later.filter(Boolean).join(' ')}
      isOn={isOn}
      onChange={onChange}
    />
  );
}
