import { takeCase, type CaseView, type ModeratorRole } from '@unsaid/contract/moderation/console';
import { call } from '../../api.ts';
import { useCaseCache } from '../../cases.api.ts';
import { announce } from '../../lib/announce.ts';
import { hasCode } from '../../lib/failure-words.ts';
import { useMe } from '../../session.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import ui from '../../ui/ui.module.css';
import { useAction } from './use-action.ts';
import styles from './case.module.css';

interface TakeCaseProps {
  readonly view: CaseView;
  /** The caller held it a moment ago. */
  readonly wasHeld: boolean;
  readonly onNext: () => void;
}

const focusOnMount = (button: HTMLButtonElement | null) => button?.focus();

/** A case that waits, seen by somebody who does not hold it, or no longer. */
export function TakeCase({ view, wasHeld, onNext }: TakeCaseProps) {
  const { role } = useMe();
  const cache = useCaseCache(view.id);
  const take = useAction(
    view.id,
    () => call(takeCase, { params: { id: view.id } }),
    (answer) => {
      cache.put(answer.case);
      announce('The case is yours for ten minutes.');
    },
  );
  const obstacle = obstacleOf(view, role);
  // The form that had the focus is gone. The same where somebody else takes the case a moment later.
  const first = wasHeld ? focusOnMount : null;

  return (
    <section className={`${ui.card} ${styles.form}`} aria-labelledby="take">
      <h2 id="take">{obstacle ? 'Not yours' : 'This case is free'}</h2>
      {wasHeld && (
        <p>
          {obstacle
            ? 'You no longer hold this case, so the texts are hidden again. Nothing was decided.'
            : 'Your ten minutes are over, so the texts are hidden again. What you chose and noted is still here: take the case once more to go on.'}
        </p>
      )}
      {obstacle ? (
        <>
          <p>{obstacle}</p>
          <div className={ui.row}>
            <Button ref={first} variant="primary" shortcut="N" onClick={onNext}>
              Next case
            </Button>
            <Button onClick={() => void cache.reload()}>Look again</Button>
          </div>
        </>
      ) : (
        <Button ref={first} variant="primary" isBusy={take.isBusy} onClick={take.start}>
          Take this case
        </Button>
      )}
      {take.failure && !(obstacle && hasCode(take.error, 'LEASE_LOST')) && (
        <Banner tone="alarm" isAlert>
          {take.failure}
        </Banner>
      )}
    </section>
  );
}

/** Why the caller cannot take it, or null. */
function obstacleOf({ state, isDecidedByMe, lease }: CaseView, role: ModeratorRole): string | null {
  if (state === 'appealed' && isDecidedByMe)
    return 'You decided this case, so somebody else has to look at it now.';
  if (state === 'escalated' && role !== 'lead') return 'This case waits for a lead.';
  if (lease === 'other')
    return 'Somebody else is working on this case. It is free again when they finish, or after ten minutes.';
  return null;
}
