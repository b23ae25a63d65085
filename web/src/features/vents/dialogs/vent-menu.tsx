import type { VentView } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { useHideVent } from '../use-hide-vent.ts';
import styles from '../hiding/hiding.module.css';

interface VentMenuProps {
  readonly vent: VentView;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onReport: () => void;
}

/** What a reader can do about a vent of somebody else. */
export function VentMenu({ vent, isOpen, onClose, onReport }: VentMenuProps) {
  const { t } = useLingui();
  const { label, toggle } = useHideVent(vent);
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t`This vent`}>
      <div className={styles.menu}>
        <Button
          variant="outlined"
          isWide
          onClick={() => {
            onClose();
            void toggle().catch(() => undefined);
          }}
        >
          {label}
        </Button>
        <Button variant="outlined" isWide onClick={onReport}>
          <Trans>Report vent</Trans>
        </Button>
      </div>
    </Dialog>
  );
}
