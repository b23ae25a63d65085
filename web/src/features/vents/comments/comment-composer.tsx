import { commentText, dayMs, isBlank, limits, type Door, type VentView } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { Suspense, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { afterPaint } from '../../../lib/app-ready.ts';
import { ApiError } from '../../../lib/api-client.ts';
import { useAccountId, useCurrentUser } from '../../../lib/current-user.ts';
import { sentences } from '../../../lib/error-sentences.ts';
import { failureText } from '../../../lib/error-text.ts';
import { formatAgoInWords } from '../../../lib/format.ts';
import { readHistoryState } from '../../../lib/history-state.ts';
import { paths } from '../../../lib/paths.ts';
import { Button } from '../../../ui/button.tsx';
import { Choice } from '../../../ui/choice.tsx';
import { TextArea } from '../../../ui/field.tsx';
import { IdentityNotice } from '../../../ui/identity-notice.tsx';
import { isLimitedError, LimitedNote } from '../../../ui/limited-note.tsx';
import { useCurrentMinute } from '../../../ui/time-ago.tsx';
import { identityGuard, useIdentityGuard } from '../../../ui/use-identity-guard.ts';
import { loadGuard, tellsToDie, ventPlace, wordsOf } from '../crisis/crisis-guard.ts';
import { WritingNote } from '../crisis/crisis-note.tsx';
import { LazyReportDialog } from '../hiding/lazy-hiding.ts';
import { countAnswer } from '../listening/listening-day.ts';
import { useNewestOwnVent } from '../vents.api.ts';
import { commentDrafts, removeCommentDraft } from './comment-drafts.ts';
import { useAddComment, useIsAddingComment } from './comments.api.ts';
import { createOptimisticComment } from './optimistic-comment.ts';
import styles from './comments.module.css';

interface CommentDraft {
  readonly text: string;
  readonly attempt?: { readonly key: string; readonly isAnonymous: boolean } | undefined;
}

const noDraft: CommentDraft = { text: '' };

/** Where the reader found the vent. It is counted, and stored nowhere. */
function useDoor(): Door {
  const { pathname, state } = useLocation();
  const { door } = readHistoryState(state);
  if (door === 'region' || door === 'ask') return door;
  return pathname === paths.listen ? 'listen' : 'feed';
}

interface CommentComposerProps {
  readonly vent: VentView;
  readonly onUnsentChange?: ((hasUnsentWords: boolean) => void) | undefined;
}

/** Form for a comment. It states under which name the comment will appear. */
export function CommentComposer({ vent, onUnsentChange }: CommentComposerProps) {
  const { t } = useLingui();
  const { data: self } = useCurrentUser();
  const accountId = useAccountId() ?? '';
  const box = useRef<HTMLTextAreaElement>(null);
  const isSending = useIsAddingComment(vent._id);
  const [draft, setDraft] = useState<CommentDraft>(() => ({
    ...noDraft,
    // Reopened while its comment is being sent: that text is shown as a comment already.
    ...(isSending ? undefined : commentDrafts.read(accountId, vent._id)),
  }));
  const { text } = draft;
  // The name is chosen for one comment. One that is tried again keeps its own.
  const [wantsName, setWantsName] = useState(draft.attempt?.isAnonymous === false);
  const [error, setError] = useState<string>();
  /** The comment sent last. Its card stays until another one is begun. */
  const [said, setSaid] = useState('');
  const add = useAddComment(vent._id);
  const door = useDoor();
  const isLimited = self?.limited === true || isLimitedError(add.error);
  const identity = useIdentityGuard();
  useEffect(() => onUnsentChange?.(text !== ''), [text, onUnsentChange]);

  if (!vent.userId.allowComments) {
    return (
      <p className={styles.closed}>
        <Trans>Comments are closed here.</Trans>
      </p>
    );
  }

  // Words that were begun stay.
  if (isLimited && text === '') return <LimitedNote />;

  const username = self?.username ?? null;
  const canChoose = !vent.isOwner && username !== null;
  const isAnonymous = !canChoose || !wantsName;

  const write = (next: string) => {
    setDraft({ text: next });
    commentDrafts.save(accountId, { text: next }, vent._id);
    setError(undefined);
    identity.clear();
  };

  // Beginnings of a sentence: the rest is the person's own. Not offered to the vent's author.
  const [known, heard, helped] = [t`Same here,`, t`It sounds like`, t`What helped me was`];
  const startersFor = {
    any: [known, heard, helped],
    listen: [heard, known],
    advice: [helped, known],
    been_there: [known, helped],
    hug: [],
  };
  const isHeavy = vent.heavy === true && !vent.isOwner;
  // Whole sentences: hard to find at such a moment, and nothing to add to them.
  const lines = isHeavy
    ? [t`I'm glad you said it. I'm listening.`, t`Are you somewhere safe right now?`]
    : [];
  const starters = vent.isOwner || isHeavy ? [] : startersFor[vent.need ?? 'any'];
  const placeholders = {
    any: t`Write a reply…`,
    listen: t`Just be there. No fixing needed.`,
    advice: t`What could help?`,
    been_there: t`How was it for you?`,
    hug: '',
  };

  const submit = async (isSure = false) => {
    const max = limits.comment;
    const problem = isBlank(text)
      ? t`Please enter a comment.`
      : starters.includes(text.trim())
        ? t`Finish it in your own words.`
        : !commentText.safeParse(text).success
          ? t`Please keep it under ${max} characters.`
          : tellsToDie(text)
            ? t(sentences.ENCOURAGES_SELF_HARM)
            : undefined;
    setError(problem);
    if (problem !== undefined) {
      box.current?.focus();
      return;
    }
    if (!identity.check({ text }, isSure)) return;
    // The same idempotency key while the same comment is retried, also after a reload.
    const attempt =
      draft.attempt?.isAnonymous === isAnonymous ? draft.attempt : { key: crypto.randomUUID(), isAnonymous };
    const sent: CommentDraft = { text, attempt };
    commentDrafts.save(accountId, sent, vent._id);
    const optimistic = createOptimisticComment({
      text: text.trim(),
      isAuthor: vent.isOwner,
      userId: isAnonymous
        ? { username: null, profilePic: null }
        : { username, profilePic: self?.profilePic ?? null },
    });
    setDraft(noDraft);
    setWantsName(false);
    setSaid(text);
    try {
      await add.mutateAsync({ text, isAnonymous, isSure, door, attempt: attempt.key, optimistic });
      removeCommentDraft(accountId, vent._id, text);
      if (!vent.isOwner) countAnswer();
    } catch (failure) {
      // Restores the text. Where the user has begun another one, only what was surely not stored: it goes before that.
      const begun = commentDrafts.read(accountId, vent._id)?.text ?? text;
      const isRefused = failure instanceof ApiError && [403, 422].includes(failure.status);
      if (isRefused && begun !== text) write(`${text}\n\n${begun}`);
      else setDraft((current) => (current.text === '' ? sent : current));
      if (begun === text || begun === '') setWantsName(!isAnonymous);
      if (!isLimitedError(failure) && !(await identity.showRefusal(failure, { text })))
        setError(failureText(failure, t`Failed to add comment.`));
    }
  };

  return (
    <form
      noValidate
      data-kept
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault();
        if (!add.isPending) void submit();
      }}
    >
      {isLimited && <LimitedNote />}
      <TextArea
        ref={box}
        rows={1}
        label={t`Your comment`}
        placeholder={
          !vent.isOwner
            ? placeholders[vent.need ?? 'any']
            : vent.commentCount > 0
              ? t`Reply…`
              : t`Add a comment…`
        }
        value={text}
        max={limits.comment}
        error={error}
        autoComplete="off"
        onFocus={() =>
          afterPaint(() => {
            loadGuard();
            identityGuard.prepare();
          })
        }
        onChange={(event) => write(event.target.value)}
      />
      <IdentityNotice
        guard={identity}
        field="text"
        onHide={(hidden: { text?: string }) => write(hidden.text ?? text)}
        onPostAnyway={() => void submit(true)}
      />
      <WritingNote
        place={`comment on ${ventPlace(vent._id)}`}
        text={text === '' ? said : text}
        answers={vent.isOwner ? undefined : wordsOf(vent)}
        field={box}
      />
      {text === '' && lines.length > 0 && (
        <div className={styles.starters}>
          {lines.map((line) => (
            <button
              key={line}
              type="button"
              className={styles.starter}
              onClick={() => {
                write(line);
                box.current?.focus();
              }}
            >
              {line}
            </button>
          ))}
        </div>
      )}
      {isHeavy && <HeavyHelp vent={vent} />}
      {text === '' && starters.length > 0 && (
        <div className={styles.starters}>
          {starters.map((starter) => (
            <button
              key={starter}
              type="button"
              className={styles.starter}
              onClick={() => {
                write(`${starter} `);
                box.current?.focus();
              }}
            >
              {`${starter} …`}
            </button>
          ))}
        </div>
      )}
      {canChoose && (
        <div role="status" className={styles.named}>
          {wantsName && <WhatNameMeans />}
        </div>
      )}
      <div className={styles.foot}>
        <div className={styles.voice}>
          {canChoose ? (
            <Choice
              legend={t`Comment as`}
              isLegendHidden
              options={[
                { value: 'anonymous', label: t`As Anonymous` },
                { value: 'name', label: t`As ${username}` },
              ]}
              value={isAnonymous ? 'anonymous' : 'name'}
              onChange={(voice) => setWantsName(voice === 'name')}
            />
          ) : vent.isOwner ? (
            <Trans>You'll appear as 'Author'.</Trans>
          ) : (
            <Trans>You'll appear as Anonymous.</Trans>
          )}
        </div>
        <Button type="submit" disabled={isLimited} isBusy={add.isPending} className={styles.send}>
          <Trans>Comment</Trans>
        </Button>
      </div>
    </form>
  );
}

/** What one can do beside answering. */
function HeavyHelp({ vent }: { readonly vent: VentView }) {
  const [isOpen, setIsOpen] = useState(false);
  const [wasOpened, setWasOpened] = useState(false);
  return (
    <div className={styles.heavy}>
      <Link to={paths.support}>
        <Trans>Helplines and what to say</Trans>
      </Link>
      <Button
        variant="quiet"
        onClick={() => {
          setWasOpened(true);
          setIsOpen(true);
        }}
      >
        <Trans>I'm worried about them</Trans>
      </Button>
      {wasOpened && (
        <Suspense fallback={null}>
          <LazyReportDialog
            about={{ kind: 'vent', id: vent._id }}
            startsWith="worried"
            isOpen={isOpen}
            onClose={() => setIsOpen(false)}
          />
        </Suspense>
      )}
    </div>
  );
}

/**
 * Mounted only when the name is chosen, so that other readers' browsers do not request their own vents here.
 */
function WhatNameMeans() {
  const now = useCurrentMinute();
  const newest = useNewestOwnVent();
  const isRecent = newest !== undefined && now - Date.parse(newest.createdAt) < dayMs;
  const ago = isRecent && formatAgoInWords(newest.createdAt, now);
  return (
    <>
      <p>
        <Trans>Everyone who reads this will see your name and picture.</Trans>
      </p>
      {isRecent && (
        <p className={styles.linkable}>
          <Trans>You posted a vent {ago}. With your name here now, people could guess it's yours.</Trans>
        </p>
      )}
    </>
  );
}
