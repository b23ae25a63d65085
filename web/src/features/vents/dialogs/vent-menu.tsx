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
  readonly onDelete: () => void;
}

/** What one can do about a vent: about somebody else's, or one's own. */
export function VentMenu({ vent, isOpen, onClose, onReport, onDelete }: VentMenuProps) {
  const { t } = useLingui();
  const { label, toggle } = useHideVent(vent);
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t`This vent`}>
      <div className={styles.menu}>
        {vent.isOwner ? (
          <Button variant="outlined" isWide onClick={onDelete}>
            <Trans>Delete vent</Trans>
          </Button>
        ) : (
          <>
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
          </>
        )}
      </div>
    </Dialog>
  );
}
