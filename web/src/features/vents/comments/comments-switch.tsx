import type { VentView } from '@unsaid/contract';
import { useLingui } from '@lingui/react/macro';
import { errorText } from '../../../lib/error-text.ts';
import { ErrorCard } from '../../../ui/error-card.tsx';
import { SwitchRow } from '../../../ui/switch-row.tsx';
import { useSetVentComments } from './comments.api.ts';
import styles from './comments.module.css';

/** Opens or closes comments on one of the user's own vents. */
export function CommentsSwitch({ vent }: { readonly vent: VentView }) {
  const { t } = useLingui();
  const set = useSetVentComments(vent._id);
  return (
    <div className={styles.own}>
      <SwitchRow
        label={t`Let people comment`}
        isOn={vent.userId.allowComments}
        isBusy={set.isPending}
        onChange={set.mutate}
      />
      {set.isError && (
        <ErrorCard onRetry={() => set.mutate(set.variables)}>
          {errorText(set.error, t`That didn't go through. Please try again.`)}
        </ErrorCard>
      )}
    </div>
  );
}
