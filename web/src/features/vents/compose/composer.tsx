import { isBlank, limits, typedFields } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { memo, useEffect, useRef, useState, type RefObject } from 'react';
import { Link } from 'react-router';
import { afterPaint } from '../../../lib/app-ready.ts';
import { useAccountId, useCurrentUser } from '../../../lib/current-user.ts';
import { hasChatted } from '../../../lib/chatted.ts';
import { dropExpiredDrafts } from '../../../lib/drafts.ts';
import { failureText } from '../../../lib/error-text.ts';
import { paths } from '../../../lib/paths.ts';
import { useIsOnline } from '../../../lib/use-is-online.ts';
import { Button } from '../../../ui/button.tsx';
import { ChipsField } from '../../../ui/chips-field.tsx';
import { ErrorCard } from '../../../ui/error-card.tsx';
import { TextArea, TextField } from '../../../ui/field.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { IdentityNotice } from '../../../ui/identity-notice.tsx';
import { isLimitedError, LimitedNote } from '../../../ui/limited-note.tsx';
import { Note } from '../../../ui/note.tsx';
import { toast } from '../../../ui/toast.tsx';
import { identityGuard, useIdentityGuard } from '../../../ui/use-identity-guard.ts';
import {
  authorLevel,
  draftPlace,
  loadGuard,
  useShownLevel,
  ventPlace,
  wordsOf,
} from '../crisis/crisis-guard.ts';
import { WritingNote } from '../crisis/crisis-note.tsx';
import { moveDismissal } from '../crisis/dismissals.ts';
import { useCreateVent } from './create-vent.api.ts';
import { emptyDraft, onDraftFromOtherTab, readDraft, saveDraft, type VentDraft } from './drafts.ts';
import { hasWords } from './stored-draft.ts';
import { EmotionPicker } from './emotion-picker.tsx';
import type { FirstWords } from './first-field.tsx';
import type { Posted } from './just-posted.ts';
import { LanguageOffer } from './language-offer.tsx';
import { Chosen, MoreChoices } from './more-choices.tsx';
import { TodaysQuestion } from './todays-question.tsx';
import { checkVent, hashtagRules, suggestTitle, type Checked } from './vent-form.ts';
import support from '@material-symbols/svg-400/rounded/support.svg?path';
import styles from './composer.module.css';

interface ComposerProps {
  readonly onPosted: (posted: Posted) => void;
  readonly onWrite?: () => void;
  /** The first field, for the page to focus. */
  readonly textRef?: RefObject<HTMLTextAreaElement | null>;
  /** Typed before the form was there. Read once. */
  readonly firstWords?: FirstWords | undefined;
  /** The draft has them now. */
  readonly onFirstStored?: () => void;
}

/**
 * Form for a vent. The draft is stored on this device, so it survives a reload, a lost connection and an
 * expired session.
 */
export const Composer = memo(function Composer(props: ComposerProps) {
  const accountId = useAccountId();
  // Keyed by account: each account has its own draft.
  return accountId === null ? null : <ComposerForm key={accountId} accountId={accountId} {...props} />;
});

function withFirstWords(draft: VentDraft, words: FirstWords | undefined): VentDraft {
  if (!words) return draft;
  const { text, title } = words;
  return {
    ...draft,
    ...(text !== undefined && { text }),
    ...(title !== undefined && { title, hasOwnTitle: true }),
    attempt: undefined,
  };
}

interface ComposerFormProps extends ComposerProps {
  readonly accountId: string;
}

function ComposerForm({
  accountId,
  onPosted,
  onWrite,
  textRef,
  firstWords,
  onFirstStored,
}: ComposerFormProps) {
  const { t } = useLingui();
  const form = useRef<HTMLFormElement>(null);
  const titleField = useRef<HTMLInputElement>(null);
  const ownTextRef = useRef<HTMLTextAreaElement>(null);
  const textField = textRef ?? ownTextRef;
  const [draft, setDraft] = useState(() => withFirstWords(readDraft(accountId), firstWords));
  const [first] = useState(firstWords && draft);
  useEffect(() => {
    if (!first) return;
    // Stored as if it had been typed here.
    saveDraft(accountId, first);
    onFirstStored?.();
  }, [accountId, first, onFirstStored]);
  const [checked, setChecked] = useState<Checked>();
  // Remounts the hashtag field, to clear its text.
  const [resetCount, setResetCount] = useState(0);
  const create = useCreateVent();
  const identity = useIdentityGuard();
  const { data: self } = useCurrentUser();
  const isLimited = self?.limited === true;
  // Undefined only while the server is unreachable. The server then uses the profile's setting.
  const allowComments = draft.allowComments ?? self?.allowComments;

  const [chatted] = useState(() => hasChatted(Date.now()));
  // Nobody waits with a cry for help because of a default.
  const isGrave = (useShownLevel(draftPlace, wordsOf(draft)) ?? 0) > 0;
  const isHeld = draft.isHeld ?? (chatted && !isGrave);
  const settled = { ...draft, allowComments, isHeld };
  const [isWriting, setIsWriting] = useState(false);
  const beginToWrite = () => {
    loadGuards();
    setIsWriting(true);
  };

  useEffect(dropExpiredDrafts, []);
  // Written in another tab too, this one follows: the tab that is typed in last would overwrite the words of the other.
  const [isInOtherTab, setIsInOtherTab] = useState(false);
  useEffect(
    () =>
      onDraftFromOtherTab(accountId, (theirs) => {
        setDraft(theirs);
        setChecked(undefined);
        setResetCount((last) => last + 1);
        setIsInOtherTab(hasWords(theirs));
      }),
    [accountId],
  );

  const save = (next: VentDraft) => {
    setDraft(next);
    saveDraft(accountId, next);
  };
  const change = (part: Partial<VentDraft>) => {
    // An edited vent is a different vent: it gets a new idempotency key. Not so if only its time is: the first attempt may
    // have arrived, and must not be posted twice.
    const isEdited = Object.keys(part).some((name) => name !== 'isHeld');
    save({ ...draft, ...part, attempt: isEdited ? undefined : draft.attempt });
    setChecked(undefined);
    identity.clear();
    if (create.isError) create.reset();
    onWrite?.();
  };

  const submit = async (isSure = false) => {
    const result = checkVent(settled);
    setChecked(result);
    if (!('body' in result)) {
      // After React has marked the invalid fields.
      requestAnimationFrame(() =>
        form.current
          ?.querySelector<HTMLElement>(
            'input[aria-invalid=true], textarea[aria-invalid=true], [data-invalid] input',
          )
          ?.focus(),
      );
      return;
    }
    const typed = Object.fromEntries(typedFields.map((field) => [field, result.body[field] ?? '']));
    if (!identity.check(typed, isSure)) return;
    const attempt = draft.attempt ?? crypto.randomUUID();
    // Stored with the attempt, because a retry must send the same body.
    save({ ...settled, attempt });
    const { body } = result;
    let vent: Awaited<ReturnType<typeof create.mutateAsync>>;
    try {
      vent = await create.mutateAsync({ body: { ...body, isSure }, attempt });
    } catch (error) {
      // Anything else is shown below the form.
      if (await identity.showRefusal(error, typed)) create.reset();
      return;
    }
    save(emptyDraft);
    setChecked(undefined);
    setResetCount((last) => last + 1);
    const { title, text, emotion, hashtags = [], need = null, keepDays = null } = body;
    const posted = vent
      ? { _id: vent._id, held: null }
      : { _id: attempt, held: { title, text, emotion, hashtags, need, keepDays } };
    moveDismissal(draftPlace, ventPlace(posted._id));
    // What the server answered, not what the switch says: an attempt before may have arrived.
    if (vent === null) toast(t`It'll go out later.`);
    // The card answers instead. A cheerful message would be wrong beside it.
    else if (authorLevel(wordsOf(body)) < 2) toast(t`Vent created successfully!`);
    onPosted(posted);
  };

  const problems = checked && 'problems' in checked ? checked.problems : {};
  const missing = checked && 'missing' in checked ? checked.missing : [];
  const errorOf = (field: 'title' | 'text' | 'emotion') => {
    if (!missing.includes(field)) return field === 'emotion' ? undefined : problems[field];
    // The sentence stands once, at the first gap.
    const sentences = [
      field === missing[0] && t`Please fill in all required fields.`,
      field === 'emotion' && t`Pick how it feels.`,
    ];
    return sentences.filter(Boolean).join(' ');
  };

  const isUntitled = isBlank(draft.title);
  const isTitleOurs = !isUntitled && draft.hasOwnTitle === false;
  /** The title follows the first line of the text until somebody writes one. */
  const fillTitle = () => {
    const title = suggestTitle(draft.text);
    if ((isUntitled ? draft.hasOwnTitle !== true : isTitleOurs) && title !== draft.title)
      save({ ...draft, title, hasOwnTitle: false, attempt: undefined });
  };

  const hide = (hidden: Partial<VentDraft>) => {
    if (!hidden.hashtags) return change(hidden);
    // Of these, one may stand in the field without a comma.
    change({ ...hidden, openHashtag: '' });
    setResetCount((last) => last + 1);
  };

  /** Under its field. */
  const noticeAt = (field: (typeof typedFields)[number]) => (
    <IdentityNotice guard={identity} field={field} onHide={hide} onPostAnyway={() => void submit(true)} />
  );

  return (
    <form
      ref={form}
      noValidate
      data-kept
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!create.isPending) void submit();
      }}
    >
      {/* At once, not after writing. Writing goes on: the draft stays. */}
      {isLimited && !create.isError && <LimitedNote />}
      {isInOtherTab && (
        <Note>
          <Trans>You're also writing this in another tab.</Trans>
        </Note>
      )}
      <TodaysQuestion
        isUsable={isUntitled}
        onUse={(title) => {
          change({ title, hasOwnTitle: true });
          // The pressed button goes.
          (isBlank(draft.text) ? textField : titleField).current?.focus();
        }}
      />
      <TextArea
        ref={textField}
        label={t`Text`}
        placeholder={t`Say it here. No name attached.`}
        value={draft.text}
        max={limits.ventText}
        aria-required
        error={errorOf('text')}
        autoComplete="off"
        onFocus={beginToWrite}
        onBlur={fillTitle}
        onChange={(event) => change({ text: event.target.value })}
      />
      {noticeAt('text')}
      <WritingNote place={draftPlace} text={wordsOf(draft)} field={textField} />
      <LanguageOffer accountId={accountId} text={draft.text} />
      <TextField
        ref={titleField}
        label={t`Title`}
        // Beside the label: nothing moves between the press that leaves the text and its click.
        note={isTitleOurs ? t`from your first line` : undefined}
        dir="auto"
        value={draft.title}
        max={limits.ventTitle}
        aria-required
        error={errorOf('title')}
        autoComplete="off"
        onFocus={beginToWrite}
        onChange={(event) => change({ title: event.target.value, hasOwnTitle: true })}
      />
      {noticeAt('title')}
      <EmotionPicker
        value={draft.emotion ?? null}
        error={errorOf('emotion')}
        onChange={(emotion) => change({ emotion })}
      />
      <ChipsField
        key={resetCount}
        label={t`Hashtags`}
        placeholder={t`exams, family`}
        hint={t`Optional, separated by commas.`}
        chips={draft.hashtags}
        rules={hashtagRules}
        sign="#"
        initialText={draft.openHashtag}
        error={problems.hashtags}
        onChange={(hashtags, openHashtag) => change({ hashtags, openHashtag })}
        onType={(openHashtag) => change({ openHashtag })}
      />
      {noticeAt('hashtags')}
      <MoreChoices draft={settled} hasChatted={chatted} isWriting={isWriting} onChange={change} />
      <Link to={paths.support} className={styles.support}>
        <Icon path={support} size={20} />
        <span>
          <Trans>Too much right now? Support</Trans>
        </span>
      </Link>
      <div data-above-bar className={styles.foot}>
        {/* With the button: it is sticky, and the end of the form may be out of sight. */}
        {create.isError && <NotPosted error={create.error} />}
        <Chosen draft={settled} />
        <Button type="submit" disabled={isLimited} isBusy={create.isPending}>{t`Post vent`}</Button>
      </div>
    </form>
  );
}

function loadGuards(): void {
  afterPaint(() => {
    loadGuard();
    identityGuard.prepare();
  });
}

/** What failed, and that nothing is lost. */
function NotPosted({ error }: { readonly error: unknown }) {
  const { t } = useLingui();
  const isOnline = useIsOnline();
  if (!isOnline)
    return <ErrorCard>{t`Failed to create vent. You're offline; your words are safe here.`}</ErrorCard>;
  return (
    <>
      {isLimitedError(error) ? (
        <LimitedNote />
      ) : (
        <ErrorCard>{failureText(error, t`Failed to create vent`)}</ErrorCard>
      )}
      <p className={styles.kept}>
        <Trans>Your draft is saved.</Trans>
      </p>
    </>
  );
}
