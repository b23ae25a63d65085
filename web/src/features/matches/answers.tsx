import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useId, useRef } from 'react';
import { failureText } from '../../lib/error-text.ts';
import { Button } from '../../ui/button.tsx';
import { FieldError } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';
import { BothSaidYes } from './match-card.tsx';
import { isTooLate, useAnswer } from './matches.api.ts';
import type { OpenMatch } from './match-view.ts';
import type { Ending } from './use-answers.ts';
import styles from './matches.module.css';

interface AnswersProps {
  readonly match: OpenMatch;
  readonly ending: Ending | undefined;
  /** Said and done: the card goes, or stays with what is left to say. */
  readonly onSettled: (ending?: Ending) => void;
}

/** Accept and Reject, or what stands there once neither can be said any more. */
export function Answers({ match, ending, onSettled }: AnswersProps) {
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

  // A button that was out of order for a moment has lost its focus.
  useEffect(() => {
    if (error && document.activeElement === document.body) (isYes ? accept : reject).current?.focus();
  }, [error, isYes]);

  if (ending?.isMutual) return <BothSaidYes />;
  if (ending) return <FieldError isSaidElsewhere>{ending.sentence}</FieldError>;

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
