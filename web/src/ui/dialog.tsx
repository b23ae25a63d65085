import { AlertDialog as BaseAlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { cx } from './class-names.ts';
import { useBackCloses } from './use-back-closes.ts';
import close from '@material-symbols/svg-400/rounded/close.svg?path';
import styles from './dialog.module.css';

interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
  /** Fixed while the body scrolls. A submit button in it refers to its form by `form=`. */
  readonly footer?: ReactNode;
  /**
   * A tap on the backdrop then does nothing: on a phone that is often a stray one. The close button, Escape
   * and Back still close, so the form keeps a draft.
   */
  readonly hasUnsentWords?: boolean | undefined;
}

export function Dialog({
  isOpen,
  onClose,
  title,
  description,
  children,
  footer,
  hasUnsentWords = false,
}: DialogProps) {
  const { t } = useLingui();
  useBackCloses(isOpen, onClose);
  return (
    <BaseDialog.Root
      open={isOpen}
      disablePointerDismissal={hasUnsentWords}
      onOpenChange={(open) => !open && onClose()}
    >
      <BaseDialog.Portal>
        {/* Also above another dialog: without a backdrop the two would look like one. */}
        <BaseDialog.Backdrop forceRender className={styles.backdrop} />
        <BaseDialog.Viewport className={styles.viewport}>
          <BaseDialog.Popup className={styles.popup}>
            <header className={styles.header}>
              <BaseDialog.Title className={styles.title}>{title}</BaseDialog.Title>
              <BaseDialog.Close
                render={<IconButton label={t`Close`} icon={close} className={styles.close} />}
              />
            </header>
            <div className={styles.body}>
              {description && (
                <BaseDialog.Description className={styles.description}>{description}</BaseDialog.Description>
              )}
              {children}
            </div>
            {footer && <footer className={styles.footer}>{footer}</footer>}
          </BaseDialog.Popup>
        </BaseDialog.Viewport>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

interface AlertProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children?: ReactNode;
  /** The buttons. The least harmful one comes first, because it gets focus. */
  readonly actions: ReactNode;
  /** Gets the focus afterwards, if what had it is gone. */
  readonly returnFocus?: () => HTMLElement | null;
}

/**
 * Alert dialog, for the specification's alerts and confirmations. Closed by a button or Escape, not by a
 * click outside.
 */
export function Alert({ isOpen, onClose, title, children, actions, returnFocus }: AlertProps) {
  useBackCloses(isOpen, onClose);
  return (
    <BaseAlertDialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <BaseAlertDialog.Portal>
        <BaseAlertDialog.Backdrop forceRender className={styles.backdrop} />
        <BaseAlertDialog.Viewport className={styles.viewport}>
          <BaseAlertDialog.Popup finalFocus={returnFocus} className={cx(styles.popup, styles.alert)}>
            <div className={styles.body}>
              <BaseAlertDialog.Title className={styles.title}>{title}</BaseAlertDialog.Title>
              {children && (
                <BaseAlertDialog.Description className={styles.description}>
                  {children}
                </BaseAlertDialog.Description>
              )}
            </div>
            <footer className={styles.footer}>{actions}</footer>
          </BaseAlertDialog.Popup>
        </BaseAlertDialog.Viewport>
      </BaseAlertDialog.Portal>
    </BaseAlertDialog.Root>
  );
}
