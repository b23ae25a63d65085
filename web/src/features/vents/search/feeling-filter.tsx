import { emotions, type Emotion } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useNavigate } from 'react-router';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/class-names.ts';
import { emotionClass, emotionIcons, emotionLabel } from '../../../ui/emotion.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { useListParams } from '../list-params.ts';
import styles from './feeling-filter.module.css';

function useFeelings() {
  const navigate = useNavigate();
  const { params, link } = useListParams();
  return {
    feelings: params.feelings,
    setFeelings(next: readonly Emotion[]): void {
      const { to, state } = link({ feelings: next });
      // One history entry for the filter, not one for each press: Back then shows all vents.
      void navigate(to, { state, replace: params.feelings.length > 0 });
    },
  };
}

/** Filters a list by emotion: six toggle buttons in one row, which scrolls sideways on a phone. */
export function FeelingFilter() {
  const { t } = useLingui();
  const { feelings, setFeelings } = useFeelings();
  return (
    <div role="group" aria-label={t`Filter by feeling`} className={styles.row}>
      {emotions.map((emotion) => (
        <button
          key={emotion}
          type="button"
          aria-pressed={feelings.includes(emotion)}
          className={cx(styles.chip, emotionClass(emotion))}
          onClick={() => setFeelings(emotions.filter((one) => feelings.includes(one) !== (one === emotion)))}
        >
          <Icon path={emotionIcons[emotion]} size={18} />
          {emotionLabel(emotion)}
        </button>
      ))}
    </div>
  );
}

/** Empty state of a filtered list. */
export function NothingFelt() {
  const { setFeelings } = useFeelings();
  return (
    <EmptyState
      title={<Trans>No vents available.</Trans>}
      action={
        <Button
          onClick={() => {
            // The focused button disappears: move focus to the page.
            document.getElementById('page')?.focus({ preventScroll: true });
            setFeelings([]);
          }}
        >
          <Trans>Show all</Trans>
        </Button>
      }
    >
      <Trans>Nobody has shared this feeling here yet.</Trans>
    </EmptyState>
  );
}
