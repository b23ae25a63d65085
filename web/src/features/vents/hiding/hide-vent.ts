import { nothingSaid, type VentView } from '@unsaid/contract';
import { t } from '@lingui/core/macro';
import type { QueryClient } from '@tanstack/react-query';
import { refreshLists, sendHide, sendUnhide } from '../../../lib/choices.ts';
import { failureText } from '../../../lib/error-text.ts';
import { createSessionStore } from '../../../lib/store.ts';
import { toast } from '../../../ui/toast.tsx';
import { patchVent } from '../vent-cache.ts';
import { fetchVent } from '../vents.api.ts';

const justHidden = createSessionStore<string | undefined>(undefined);

/** True once for a vent that was hidden by a press: its line takes the focus of the button that is gone. */
export function takesFocus(id: string): boolean {
  const isNew = justHidden.get() === id;
  if (isNew) justHidden.set(undefined);
  return isNew;
}

/** Folds it at once. If the server refuses, it comes back. */
export async function hideVent(client: QueryClient, vent: VentView): Promise<void> {
  justHidden.set(vent._id);
  patchVent(client, vent._id, (one) => ({
    ...one,
    ...nothingSaid,
    comments: [],
    hiddenBy: 'you',
  }));
  try {
    await sendHide({ kind: 'vent', id: vent._id });
  } catch (error) {
    patchVent(client, vent._id, () => vent);
    toast(failureText(error, t`Your list is full. Take something off it in Settings first.`));
  }
}

/** With its words, in every list. It stays hidden at the next visit. */
export const showVent = (client: QueryClient, id: string) => fetchVent(client, id);

export async function unhideVent(client: QueryClient, id: string): Promise<void> {
  try {
    await sendUnhide({ kind: 'vent', id });
    await fetchVent(client, id);
    refreshLists(client);
  } catch (error) {
    toast(failureText(error, t`That didn't go through. Please try again.`));
  }
}
