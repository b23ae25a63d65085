import { countGraphemes, isBlank, limits, type NoticeView } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useRef, useState } from 'react';
import { failureText } from '../../lib/error-text.ts';
import { createSessionMap } from '../../lib/store.ts';
import { Button, ButtonRow } from '../../ui/button.tsx';
import { ErrorCard } from '../../ui/error-card.tsx';
import { TextArea } from '../../ui/field.tsx';
import { useAppeal } from './moderation.api.ts';
import styles from './moderation.module.css';

/** Appeals begun and not sent, by notice. In memory only, as the drafts of reports are. */
const drafts = createSessionMap<string>();

interface AppealFormProps {
  readonly notice: NoticeView;
  /** The form is gone once the appeal waits. */
  readonly onSent: () => void;
}

/** One button, and the form behind it. */
export function AppealForm({ notice, onSent }: AppealFormProps) {
  const { t } = useLingui();
  const [text, setText] = useState(() => drafts.get(notice._id) ?? '');
  const [isOpen, setIsOpen] = useState(text !== '');
  const [error, setError] = useState<string>();
  const appeal = useAppeal(notice._id);
  const field = useRef<HTMLTextAreaElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  const wasOpen = useRef(isOpen);
  useEffect(() => {
    // The pressed button has been replaced by the form, or the other way round.
    if (isOpen !== wasOpen.current) (isOpen ? field : button).current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);

  const write = (next: string) => {
    setText(next);
    drafts.set(notice._id, next || undefined);
    setError(undefined);
  };

  const submit = async () => {
    const max = limits.appeal;
    const problem = isBlank(text)
      ? t`Please tell us why, in a few words.`
      : countGraphemes(text) > max
        ? t`Please keep it under ${max} characters.`
        : undefined;
    setError(problem);
    if (problem !== undefined) {
      field.current?.focus();
      return;
    }
    try {
      await appeal.mutateAsync(text);
      drafts.set(notice._id, undefined);
      onSent();
    } catch {
      // Shown below.
    }
  };

  const promise = <Trans>Someone else decides, within 3 days.</Trans>;
  if (!isOpen) {
    return (
      <div className={styles.ask}>
        <Button ref={button} variant="outlined" onClick={() => setIsOpen(true)}>
          <Trans>Ask for a second look</Trans>
        </Button>
        <p className={styles.soft}>{promise}</p>
      </div>
    );
  }
  return (
    <form
      noValidate
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!appeal.isPending) void submit();
      }}
    >
      <TextArea
        ref={field}
        label={t`Why should we look again?`}
        hint={promise}
        value={text}
        max={limits.appeal}
        error={error}
        autoComplete="off"
        onChange={(event) => write(event.target.value)}
      />
      {appeal.isError && <ErrorCard>{failureText(appeal.error, t`Couldn't send it.`)}</ErrorCard>}
      <ButtonRow>
        <Button variant="quiet" disabled={appeal.isPending} onClick={() => setIsOpen(false)}>
          <Trans>Not now</Trans>
        </Button>
        <Button type="submit" isBusy={appeal.isPending}>{t`Send`}</Button>
      </ButtonRow>
    </form>
  );
}
