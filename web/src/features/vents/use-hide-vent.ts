import type { VentView } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { hideIcon } from './hiding/hide-icon.ts';
import { hiding } from './hiding/lazy-hiding.ts';

/** Hides a vent for the user, or stops hiding one that was shown again. */
export function useHideVent(vent: VentView) {
  const { t } = useLingui();
  const client = useQueryClient();
  const isHidden = vent.hiddenBy === 'you';
  return {
    isHidden,
    label: isHidden ? t`Unhide this vent` : t`Hide this vent`,
    icon: hideIcon,
    toggle: async () => {
      const { hideVent, unhideVent } = await hiding.load();
      await (isHidden ? unhideVent(client, vent._id) : hideVent(client, vent));
    },
  };
}
