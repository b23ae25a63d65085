import { Trans, useLingui } from '@lingui/react/macro';
import { Suspense, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { FormSkeleton } from './form-skeleton.tsx';
import { fetchExport } from './settings.api.ts';
import type { SettingsForms } from './settings-forms.ts';
import download from '@material-symbols/svg-400/rounded/download.svg?path';
import styles from './settings.module.css';

function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has started by then. The export must not stay in memory.
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export function ExportData({ ReauthForm }: Pick<SettingsForms, 'ReauthForm'>) {
  const { t } = useLingui();
  const [isOpen, setIsOpen] = useState(false);
  const saveExport = async () => {
    saveFile('unsaid-my-data.json', await fetchExport());
    setIsOpen(false);
    toast(t`Your data is in your downloads.`);
  };
  return (
    <>
      <p className={styles.soft}>
        <Trans>Everything we have about you, in one file in this device's downloads.</Trans>
      </p>
      <div>
        <Button variant="outlined" icon={download} onClick={() => setIsOpen(true)}>
          <Trans>Export my data</Trans>
        </Button>
      </div>
      <Dialog
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        title={t`Export my data`}
        description={
          <Trans>
            The file shows everything you've written, even as Anonymous. Think about who else uses this
            device. We'll send an OTP first.
          </Trans>
        }
      >
        <Suspense fallback={<FormSkeleton />}>
          <ReauthForm onConfirmed={saveExport} />
        </Suspense>
      </Dialog>
    </>
  );
}
