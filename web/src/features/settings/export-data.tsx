import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from '@tanstack/react-query';
import { errorText } from '../../lib/error-text.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { toast } from '../../ui/toast.tsx';
import { fetchExport } from './settings.api.ts';
import download from '@material-symbols/svg-400/rounded/download.svg?path';
import styles from './settings.module.css';

function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken its copy by the next turn; ours should not stay in memory.
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export function ExportData() {
  const { t } = useLingui();
  const fetching = useMutation({
    mutationFn: fetchExport,
    // Nothing of it is kept in the cache.
    gcTime: 0,
    onSuccess: (text) => {
      saveFile('unsaid-my-data.json', text);
      toast(t`Your data is in your downloads.`);
    },
  });
  return (
    <>
      <p className={styles.soft}>
        <Trans>
          Everything we hold about you, as one file. It stays in this device's downloads, so think of who else
          uses it.
        </Trans>
      </p>
      {fetching.isError && <ErrorCard>{errorText(fetching.error, t`The file could not be made.`)}</ErrorCard>}
      <div>
        <Button
          variant="outlined"
          icon={download}
          isBusy={fetching.isPending}
          onClick={() => fetching.mutate()}
        >
          <Trans>Export my data</Trans>
        </Button>
      </div>
    </>
  );
}
