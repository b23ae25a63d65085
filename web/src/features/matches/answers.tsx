import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useId, useLayoutEffect, useRef } from 'react';
import { Button } from '../../ui/button.tsx';
import { FieldError } from '../../ui/field.tsx';
import type { AnswerState, Outcome } from './answer-queue.ts';
import { BothSaidYes } from './match-card.tsx';
import type { AnswerKind, OpenMatch } from './match-view.ts';
import { useAnswerQueue, useAnswerState } from './use-answers.ts';
import styles from './matches.module.css';

type HeldState = Extract<AnswerState, { phase: 'undoable' | 'sending' }>;

/** Answered, and the server has not replied yet. */
export function isHeld(state: AnswerState | undefined): state is HeldState {
  return state?.phase === 'undoable' || state?.phase === 'sending';
}

interface AnswersProps {
  readonly match: OpenMatch;
  readonly outcome?: Outcome | undefined;
  /** The user's own yes: `sent` can be taken back, `mutual` can be ended. */
  readonly said?: 'sent' | 'mutual' | undefined;
}

/** Accept and Reject, or the outcome when no reply is possible any more. */
export function Answers({ match, outcome, said }: AnswersProps) {
  const errorId = useId();
  const state = useAnswerState(match.id);
  const frame = useRef<HTMLDivElement>(null);

  // The focused line or button is gone after an undo or an error: focus the button that was pressed.
  const before = useRef<AnswerState>(undefined);
  useEffect(() => {
    const kind = state?.kind ?? before.current?.kind;
    const isBack = isHeld(before.current) && !isHeld(state);
    before.current = state;
    if (isBack && document.activeElement === document.body)
      frame.current?.querySelectorAll('button')[kind === 'reject' ? 1 : 0]?.focus();
  }, [state]);

  if (outcome?.isMutual) return <BothSaidYes />;
  if (outcome) return <FieldError isSaidElsewhere>{outcome.sentence}</FieldError>;
  const error = state?.phase === 'failed' ? state.sentence : undefined;
  return (
    <div className={styles.answers}>
      {isHeld(state) && <Answered match={match} state={state} />}
      <div ref={frame} inert={isHeld(state)} className={styles.buttons}>
        {said === 'sent' ? (
          <TakeBack match={match} describedBy={error ? errorId : undefined} />
        ) : said === 'mutual' ? (
          <EndMatch match={match} describedBy={error ? errorId : undefined} />
        ) : (
          <AnswerButtons match={match} describedBy={error ? errorId : undefined} />
        )}
      </div>
      {error && (
        <FieldError id={errorId} isSaidElsewhere>
          {error}
        </FieldError>
      )}
    </div>
  );
}

interface AnswerButtonsProps {
  readonly match: OpenMatch;
  readonly describedBy?: string | undefined;
  readonly onAnswer?: () => void;
}

export function AnswerButtons({ match, describedBy, onAnswer }: AnswerButtonsProps) {
  const { t } = useLingui();
  const queue = useAnswerQueue();
  const { name } = match.other;
  const say = (kind: AnswerKind) => () => {
    queue.answer(match, kind);
    onAnswer?.();
  };
  return (
    <>
      <Button aria-label={t`Accept ${name}`} aria-describedby={describedBy} onClick={say('accept')}>
        <Trans>Accept</Trans>
      </Button>
      <Button
        variant="outlined"
        aria-label={t`Reject ${name}`}
        aria-describedby={describedBy}
        onClick={say('reject')}
      >
        <Trans>Reject</Trans>
      </Button>
    </>
  );
}

function TakeBack({ match, describedBy }: AnswerButtonsProps) {
  const { t } = useLingui();
  const queue = useAnswerQueue();
  const { name } = match.other;
  return (
    <Button
      variant="outlined"
      className={styles.takeBack}
      aria-label={t`Take back your yes to ${name}`}
      aria-describedby={describedBy}
      onClick={() => queue.answer(match, 'withdraw')}
    >
      <Trans>Take back your yes</Trans>
    </Button>
  );
}

/** The other sees a closed match, as when its time ran out. */
export function EndMatch({ match, describedBy, onAnswer }: AnswerButtonsProps) {
  const { t } = useLingui();
  const queue = useAnswerQueue();
  const { name } = match.other;
  return (
    <Button
      variant="quiet"
      className={styles.takeBack}
      aria-label={t`End this match with ${name}`}
      aria-describedby={describedBy}
      onClick={() => {
        queue.answer(match, 'part');
        onAnswer?.();
      }}
    >
      <Trans>End this match</Trans>
    </Button>
  );
}

interface AnsweredProps {
  readonly match: OpenMatch;
  readonly state: HeldState;
}

/** The answer that was given, and Undo, in place of the buttons. */
export function Answered({ match, state }: AnsweredProps) {
  const queue = useAnswerQueue();
  const id = useId();
  const sentence = useRef<HTMLParagraphElement>(null);
  const { name } = match.other;

  // The pressed button is inert now. Focus goes to the sentence, which a screen reader then reads: on Undo it would stop
  // the time.
  useLayoutEffect(() => {
    const line = sentence.current;
    const focused = document.activeElement;
    if (focused === document.body || line?.closest('article')?.contains(focused))
      line?.focus({ preventScroll: true });
  }, []);

  const pause = () => queue.pause(match.id);
  const resume = () => queue.resume(match.id);
  return (
    <div className={styles.answered}>
      <p ref={sentence} id={id} tabIndex={-1}>
        {state.kind === 'accept' ? (
          <Trans>You said yes.</Trans>
        ) : state.kind === 'reject' ? (
          <Trans>You passed on {name}.</Trans>
        ) : state.kind === 'withdraw' ? (
          <Trans>You took your yes back.</Trans>
        ) : (
          <Trans>You ended it.</Trans>
        )}
      </p>
      {state.phase === 'undoable' && (
        <Button
          variant="quiet"
          aria-describedby={id}
          onClick={() => queue.undo(match.id)}
          onFocus={pause}
          onBlur={resume}
          onPointerEnter={pause}
          onPointerLeave={resume}
        >
          <Trans>Undo</Trans>
        </Button>
      )}
    </div>
  );
}
