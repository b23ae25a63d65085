import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../lib/api-client.ts';
import { errorText } from '../../lib/error-text.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';
import { confirmCode, recoveryQuery } from './recovery.api.ts';
import { isSameGroup, pickGroup } from './recovery-groups.ts';
import copy from '@material-symbols/svg-400/rounded/content_copy.svg?path';
import styles from './settings.module.css';

interface NewRecoveryCodeProps {
  readonly code: string;
  readonly proof: string;
  readonly onSending: () => void;
  /** The server rejected it. Not called for a lost response, after which it may be valid. */
  readonly onRefused: () => void;
  readonly onSaved: () => void;
}

/** Shows the code, then asks for one group of it with the code hidden. The right group makes the code valid. */
export function NewRecoveryCode({ code, ...saving }: NewRecoveryCodeProps) {
  const [isAsking, setIsAsking] = useState(false);
  const groups = code.split('-');
  return isAsking ? (
    <TypeBack groups={groups} onBack={() => setIsAsking(false)} {...saving} />
  ) : (
    <Shown code={code} groups={groups} onWritten={() => setIsAsking(true)} />
  );
}

interface ShownProps {
  readonly code: string;
  readonly groups: readonly string[];
  readonly onWritten: () => void;
}

function Shown({ code, groups, onWritten }: ShownProps) {
  const { t } = useLingui();
  async function copyCode(): Promise<void> {
    try {
      await navigator.clipboard.writeText(code);
      toast(t`Copied. Keep it somewhere only you can open.`);
    } catch {
      toast(t`Couldn't copy it. Please write it down.`);
    }
  }
  return (
    <div className={styles.sessions}>
      <p className={styles.soft}>
        <Trans>
          Write it on paper and keep it where only you look. We show it just this once. Anyone who has it can
          open your account.
        </Trans>
      </p>
      <ol role="list" className={styles.code} dir="ltr" aria-label={t`Recovery code`}>
        {groups.map((group, n) => (
          // Groups can repeat, so the index is the key.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={n}>{group}</li>
        ))}
      </ol>
      <p className={styles.soft}>
        <Trans>It starts working after the next step.</Trans>
      </p>
      <div className={cx(styles.actions, styles.dialogActions)}>
        <Button onClick={onWritten}>{t`I've written it down`}</Button>
        <Button variant="outlined" icon={copy} onClick={() => void copyCode()}>{t`Copy`}</Button>
      </div>
    </div>
  );
}

interface TypeBackProps extends Omit<NewRecoveryCodeProps, 'code'> {
  readonly groups: readonly string[];
  readonly onBack: () => void;
}

function TypeBack({ groups, proof, onBack, onSending, onRefused, onSaved }: TypeBackProps) {
  const { t } = useLingui();
  const client = useQueryClient();
  const [index] = useState(() => pickGroup(groups));
  const [typed, setTyped] = useState('');
  const [isWrong, setIsWrong] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const save = useMutation({
    mutationFn: () => confirmCode(proof),
    onMutate: onSending,
    onSuccess: ({ madeOn }) => {
      client.setQueryData(recoveryQuery.queryKey, (known) => known && { ...known, hasCode: true, madeOn });
      // Until when the one before works.
      void client.invalidateQueries(recoveryQuery);
      toast(t`Your recovery code is saved.`);
      onSaved();
    },
    onError: (error) => {
      if (error instanceof ApiError && error.status >= 400 && error.status < 500) onRefused();
      // Shows whether it was saved all the same.
      else void client.invalidateQueries(recoveryQuery);
    },
  });
  const place = index + 1;

  function errorOf(): string | undefined {
    if (isWrong) return t`That's not group ${place}. Check your paper.`;
    if (save.error instanceof ApiError && save.error.code === 'REAUTH_REQUIRED')
      return t`That took too long. Close this and make a new code.`;
    return save.error ? errorText(save.error, t`Couldn't save the code. Try again.`) : undefined;
  }

  return (
    <form
      className={styles.sessions}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (isSameGroup(typed, groups[index] ?? '')) save.mutate();
        else {
          setIsWrong(true);
          field.current?.focus();
        }
      }}
    >
      <p className={styles.soft}>
        <Trans>Now look at your paper. What's in group {place} of the code?</Trans>
      </p>
      <TextField
        ref={field}
        label={t`Group ${place}`}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setIsWrong(false);
          save.reset();
        }}
        error={errorOf()}
        maxLength={8}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        dir="ltr"
      />
      <div className={cx(styles.actions, styles.dialogActions)}>
        <Button type="submit" disabled={typed.trim() === ''} isBusy={save.isPending}>
          <Trans>Save my code</Trans>
        </Button>
        <Button variant="outlined" disabled={save.isPending} onClick={onBack}>
          <Trans>Show the code again</Trans>
        </Button>
      </div>
    </form>
  );
}
