import type { VentView } from '@unsaid/contract';
import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useRef, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { failureText } from '../../../lib/error-text.ts';
import { isInFirstDays } from '../../../lib/new-account.ts';
import { paths } from '../../../lib/paths.ts';
import { createSessionStore } from '../../../lib/store.ts';
import { Button, ButtonLink, ButtonRow, IconButton } from '../../../ui/button.tsx';
import { EmotionChip } from '../../../ui/emotion.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorCard } from '../../../ui/error-card.tsx';
import { PageHeading } from '../../../ui/page-heading.tsx';
import { Status } from '../../../ui/status.tsx';
import { TimeAgo } from '../../../ui/time-ago.tsx';
import { UserText } from '../../../ui/user-text.tsx';
import { CommentComposer } from '../comments/comment-composer.tsx';
import { crisisLevel, loadGuard, useIsGuardLoading, wordsOf } from '../crisis/crisis-guard.ts';
import { useIsAway } from '../hiding/is-folded.ts';
import { useReactions } from '../reactions/reactions.api.ts';
import { textAfterTitle } from '../text-after-title.ts';
import { VentAsks } from '../vent-asks.tsx';
import { VentFrame } from '../vent-card.tsx';
import { useVentDialogs, VentListSkeleton } from '../vent-list.tsx';
import { heavyFrom, nextVent } from './candidates.ts';
import { manyAnswers, stopForToday, useListeningDay } from './listening-day.ts';
import { ListeningChoices } from './listening-choices.tsx';
import { heavierToo, knownFeelings } from './listening-settings.ts';
import { useWaiting } from './listening.api.ts';
import more from '@material-symbols/svg-400/rounded/more_horiz.svg?path';
import clippedStyles from '../clipped-text.module.css';
import styles from './listen.module.css';

/** Ids of vents that the listener is done with, in this tab. In memory: stored, they would tell what somebody read. */
const done = createSessionStore<ReadonlySet<string>>(new Set());

/** Vents that wait for an answer, one at a time. */
export function ListenPage() {
  const { t } = useLingui();
  // For every listener alike, so that the request tells nothing.
  useEffect(loadGuard, []);
  return (
    <div className={styles.page}>
      <PageHeading>{t`Listen`}</PageHeading>
      <p className={styles.intro}>
        <Trans>One person at a time. Say one kind line, or pass. Nobody learns that you read it.</Trans>
      </p>
      <Waiting />
      <ListeningChoices />
    </div>
  );
}

function Waiting() {
  const { t } = useLingui();
  const isReading = useIsGuardLoading();
  const { data, error, isFetching, refetch } = useWaiting('listen', 'listen');
  const { answers } = useListeningDay();
  // "One more" holds until the next answer.
  const [carried, setCarried] = useState(manyAnswers - 1);
  const doneIds = done.useValue();
  const feelings = knownFeelings.useValue();
  const wantsHeavy = heavierToo.useValue();
  const [isNew] = useState(() => isInFirstDays(Date.now()));
  const place = useRef<HTMLDivElement>(null);
  /** The vent on screen. It stays there until the listener goes on, whatever changes meanwhile. */
  const [shown, setShown] = useState<string>();

  if (error)
    return (
      <ErrorCard onRetry={() => void refetch()} isRetrying={isFetching}>
        {failureText(error, t`Failed to fetch vents`)}
      </ErrorCard>
    );
  if (!data || isFetching || isReading) return <VentListSkeleton count={1} />;

  const next = nextVent(data.vents, {
    done: doneIds,
    feelings,
    wantsHeavy,
    isNew,
    levelOf: (vent) => crisisLevel(wordsOf(vent)),
  });
  const vent = data.vents.find(({ _id }) => _id === shown && !doneIds.has(_id)) ?? next;
  if (vent && vent._id !== shown) setShown(vent._id);

  const goOn = () => {
    if (!vent) return;
    const after = new Set([...doneIds, vent._id]);
    done.set(after);
    if (data.vents.every(({ _id }) => after.has(_id))) void refetch();
    place.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  };

  return (
    <div ref={place} tabIndex={-1} className={styles.place}>
      {answers > carried && !(vent && isAnswered(vent)) ? (
        <Carried answers={answers} onGoOn={() => setCarried(answers)} />
      ) : vent ? (
        <OneWaiting key={vent._id} vent={vent} onNext={goOn} />
      ) : data.vents.length === 0 ? (
        <EmptyState
          title={<Trans>Everyone has been heard for now.</Trans>}
          action={<ButtonLink to={paths.vents}>{t`Vent Page`}</ButtonLink>}
        />
      ) : (
        <EmptyState
          title={<Trans>That's everyone who's waiting right now.</Trans>}
          action={
            <ButtonRow>
              <Button
                variant="quiet"
                onClick={() => {
                  done.set(new Set());
                  void refetch();
                }}
              >
                <Trans>Look again</Trans>
              </Button>
              <ButtonLink to={paths.vents}>{t`Vent Page`}</ButtonLink>
            </ButtonRow>
          }
        />
      )}
    </div>
  );
}

const isAnswered = ({ comments }: VentView) => comments.some(({ isMine }) => isMine);

interface CarriedProps {
  readonly answers: number;
  readonly onGoOn: () => void;
}

/** After many answers in a day. */
function Carried({ answers, onGoOn }: CarriedProps) {
  const navigate = useNavigate();
  return (
    <EmptyState
      title={<Trans>You've answered {answers} people today.</Trans>}
      action={
        <ButtonRow>
          <Button variant="quiet" onClick={onGoOn}>
            <Trans>One more</Trans>
          </Button>
          <Button
            onClick={() => {
              stopForToday();
              void navigate(paths.vents);
            }}
          >
            <Trans>Enough for today</Trans>
          </Button>
        </ButtonRow>
      }
    >
      <Trans>That's a lot to carry. Rest a bit?</Trans>
    </EmptyState>
  );
}

interface OneWaitingProps {
  readonly vent: VentView;
  readonly onNext: () => void;
}

function OneWaiting({ vent, onNext }: OneWaitingProps) {
  const { t } = useLingui();
  const [isWriting, setIsWriting] = useState(false);
  const answer = useRef<HTMLDivElement>(null);
  const { toggle } = useReactions();
  const { actions, dialogs } = useVentDialogs([vent]);
  const hasHug = vent.myReactions.includes('hug');
  const hasAnswer = isAnswered(vent);
  const wantsHug = vent.need === 'hug';
  const isAway = useIsAway(vent);
  const text = textAfterTitle(vent);
  useEffect(() => {
    if (isWriting) answer.current?.querySelector('textarea')?.focus();
  }, [isWriting]);

  return (
    <>
      {isAway ? (
        <Status>
          <Trans>You won't see this one again.</Trans>
        </Status>
      ) : (
        <VentFrame vent={vent} isAway={false}>
          <div className={styles.top}>
            <EmotionChip emotion={vent.emotion} />
            <TimeAgo at={vent.createdAt} isOwn={vent.isOwner} className={styles.time} />
            <IconButton
              label={t`More about this vent`}
              icon={more}
              iconSize={22}
              onClick={() => actions.onMore(vent)}
            />
          </div>
          <h2 className={styles.title}>
            <UserText>{vent.title}</UserText>
          </h2>
          {text !== '' && <UserText className={clippedStyles.text}>{text}</UserText>}
          <VentAsks vent={vent} />
        </VentFrame>
      )}
      {!isAway && crisisLevel(wordsOf(vent)) >= heavyFrom && (
        <p className={styles.heavy}>
          <Trans>This one's heavy. You don't have to fix it. Staying is enough.</Trans>{' '}
          <Link to={paths.support}>
            <Trans>Helplines</Trans>
          </Link>
        </p>
      )}
      {hasAnswer && (
        <Status>
          <strong>
            <Trans>Sent. It'll reach them.</Trans>
          </strong>
        </Status>
      )}
      {isWriting && !hasAnswer && !isAway && (
        <div ref={answer} className={styles.answer}>
          <CommentComposer vent={vent} />
        </div>
      )}
      <div className={styles.buttons}>
        {!isWriting && !isAway && !wantsHug && (
          <Button onClick={() => setIsWriting(true)}>
            <Trans>Say something</Trans>
          </Button>
        )}
        {!hasAnswer && !isAway && (
          <Button
            variant={wantsHug && !hasHug ? 'primary' : 'outlined'}
            aria-pressed={hasHug}
            onClick={() => void toggle(vent, 'hug')}
          >
            {hasHug ? <Trans>Hug sent</Trans> : <Trans>Send a hug</Trans>}
          </Button>
        )}
        <Button variant={hasAnswer || isAway || (wantsHug && hasHug) ? 'primary' : 'quiet'} onClick={onNext}>
          {hasAnswer || hasHug || isAway ? <Trans>Next person</Trans> : <Trans>Pass</Trans>}
        </Button>
        <ButtonLink to={paths.vents} variant="quiet">
          <Trans>Enough for now</Trans>
        </ButtonLink>
      </div>
      {dialogs}
    </>
  );
}
