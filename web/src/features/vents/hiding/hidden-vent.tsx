import type { VentView } from '@unsaid/contract';
import { useQueryClient } from '@tanstack/react-query';
import { unfoldItem, useIsFolded } from '../../../lib/folded-items.ts';
import { HiddenLine } from '../../../ui/hidden-line.tsx';
import { showVent, takesFocus, unhideVent } from './hide-vent.ts';
import { hasNoWords } from './is-folded.ts';

export function HiddenVent({ vent }: { readonly vent: VentView }) {
  const client = useQueryClient();
  const id = vent._id;
  const isReported = useIsFolded(id);
  const reason = isReported ? 'reported' : (vent.hiddenBy ?? 'you');
  return (
    <HiddenLine
      id={id}
      reason={reason}
      takesFocus={() => takesFocus(id)}
      onShow={async () => {
        if (hasNoWords(vent)) await showVent(client, id);
        unfoldItem(id);
      }}
      onUnhide={reason === 'you' ? () => unhideVent(client, id) : undefined}
    />
  );
}
