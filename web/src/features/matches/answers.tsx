import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useId, useRef } from 'react';
import { failureText } from '../../lib/error-text.ts';
import { Button } from '../../ui/button.tsx';
import { FieldError } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';
import { BothSaidYes } from './match-card.tsx';
import type { OpenMatch } from './match-view.ts';
import { isTooLate, useAnswer } from './matches.api.ts';
import type { Outcome } from './use-answers.ts';
import styles from './matches.module.css';

interface AnswersProps {
  readonly match: OpenMatch;
  readonly outcome: Outcome | undefined;
  /** Called after a reply. Without an outcome the card is removed; with one it stays and shows it. */
  readonly onSettled: (outcome?: Outcome) => void;
}

/** Accept and Reject, or the outcome when no reply is possible any more. */
export function Answers({ match, outcome, onSettled }: AnswersProps) {
  const { t } = useLingui();
  const errorId = useId();
  const { mutateAsync, isPending, variables: isYes, error } = useAnswer(match);
  const accept = useRef<HTMLButtonElement>(null);
  const reject = useRef<HTMLButtonElement>(null);

  const failure = (error: unknown, isYes: boolean) =>
    failureText(error, isYes ? t`Failed to accept match` : t`Failed to reject match`);

  const say = async (isYes: boolean) => {
    try {
      const { isMutual } = await mutateAsync(isYes);
      toast(isYes ? t`Match accepted!` : t`Match rejected`);
      onSettled(isMutual ? { isMutual } : undefined);
    } catch (error) {
      const sentence = failure(error, isYes);
      toast(sentence);
      if (isTooLate(error)) onSettled({ isMutual: false, sentence });
    }
  };

  // A disabled button loses focus: restore it after an error.
  useEffect(() => {
    if (error && document.activeElement === document.body) (isYes ? accept : reject).current?.focus();
  }, [error, isYes]);

  if (outcome?.isMutual) return <BothSaidYes />;
  if (outcome) return <FieldError isSaidElsewhere>{outcome.sentence}</FieldError>;

  const { name } = match.other;
  const shared = { disabled: isPending, 'aria-describedby': error ? errorId : undefined };
  return (
    <div className={styles.answers}>
      <Button
        {...shared}
        ref={accept}
        isBusy={isPending && isYes}
        aria-label={t`Accept ${name}`}
        onClick={() => void say(true)}
      >
        <Trans>Accept</Trans>
      </Button>
      <Button
        {...shared}
        ref={reject}
        variant="outlined"
        isBusy={isPending && !isYes}
        aria-label={t`Reject ${name}`}
        onClick={() => void say(false)}
      >
        <Trans>Reject</Trans>
      </Button>
      {error && (
        <FieldError id={errorId} isSaidElsewhere>
          {failure(error, isYes)}
        </FieldError>
      )}
    </div>
  );
}
