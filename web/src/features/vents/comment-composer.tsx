import { commentOnVent, isBlank, limits, type VentView } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useRef, useState } from 'react';
import { failureText } from '../../lib/error-text.ts';
import { useSelf } from '../../lib/self.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { SwitchRow } from '../../ui/switch-row.tsx';
import { Words } from '../../ui/words.tsx';
import { createStandIn } from './stand-in.ts';
import { useAddComment } from './vents.api.ts';
import styles from './comments.module.css';

/** Where somebody answers, knowing under which name they are about to. */
export function CommentComposer({ vent }: { readonly vent: VentView }) {
  const { t } = useLingui();
  const { data: self } = useSelf();
  const box = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState('');
  const [wantsAnonymous, setWantsAnonymous] = useState(false);
  const [error, setError] = useState<string>();
  // The same for as long as the same is tried.
  const attempt = useRef<{ readonly text: string; readonly isAnonymous: boolean; readonly key: string }>(
    undefined,
  );
  const add = useAddComment(vent._id);

  if (!vent.userId.allowComments) {
    return (
      <p className={styles.closed}>
        <Trans>Comments are closed here.</Trans>
      </p>
    );
  }

  const username = self?.username ?? null;
  const canChoose = !vent.isOwner && username !== null;
  const isAnonymous = !canChoose || wantsAnonymous;

  const write = (next: string) => {
    setText(next);
    setError(undefined);
  };

  const submit = async () => {
    if (isBlank(text)) {
      setError(t`Please enter a comment.`);
      box.current?.focus();
      return;
    }
    if (!commentOnVent.body.shape.text.safeParse(text).success) {
      setError(t`That is longer than what fits here.`);
      box.current?.focus();
      return;
    }
    const said = text;
    if (attempt.current?.text !== said || attempt.current.isAnonymous !== isAnonymous) {
      attempt.current = { text: said, isAnonymous, key: crypto.randomUUID() };
    }
    const standIn = createStandIn({
      text: said.trim(),
      isAuthor: vent.isOwner,
      userId: isAnonymous
        ? { username: null, profilePic: null }
        : { username, profilePic: self?.profilePic ?? null },
    });
    setText('');
    setError(undefined);
    try {
      await add.mutateAsync({ text: said, isAnonymous, attempt: attempt.current.key, standIn });
      attempt.current = undefined;
    } catch (failure) {
      setError(failureText(failure, t`Failed to add comment.`));
      // What was said is theirs again, unless they are writing something else by now.
      setText((current) => (current === '' ? said : current));
    }
  };

  // To begin with, for those who do not know how; an author has begun already.
  const openers = vent.isOwner ? [] : [t`I've been there.`, t`I'm listening.`];
  return (
    <form
      noValidate
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault();
        if (!add.isPending) void submit();
      }}
    >
      <TextArea
        ref={box}
        rows={1}
        label={t`Your comment`}
        placeholder={vent.isOwner ? t`Answer those who answered` : t`Something kind`}
        value={text}
        max={limits.comment}
        error={error}
        autoComplete="off"
        onChange={(event) => write(event.target.value)}
      />
      {text === '' && openers.length > 0 && (
        <div className={styles.openers}>
          {openers.map((opener) => (
            <button
              key={opener}
              type="button"
              className={styles.opener}
              onClick={() => {
                write(opener);
                box.current?.focus();
              }}
            >
              {opener}
            </button>
          ))}
        </div>
      )}
      {canChoose && (
        <SwitchRow label={t`Speak as Anonymous`} isOn={wantsAnonymous} onChange={setWantsAnonymous} />
      )}
      <div className={styles.foot}>
        <p className={styles.speaker} role="status">
          {vent.isOwner ? (
            <Trans>You speak as Author. Your name is not shown.</Trans>
          ) : isAnonymous ? (
            <Trans>You speak as Anonymous.</Trans>
          ) : (
            <Trans>
              You speak as <Words>{username ?? ''}</Words>.
            </Trans>
          )}
        </p>
        <Button type="submit" isBusy={add.isPending}>
          <Trans>Comment</Trans>
        </Button>
      </div>
    </form>
  );
}
