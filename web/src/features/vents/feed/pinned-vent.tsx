import { Trans } from '@lingui/react/macro';
import { useEffect, useState, type Ref } from 'react';
import { toHistoryState } from '../../../lib/history-state.ts';
import { paths } from '../../../lib/paths.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { useShownLevel, ventPlace, wordsOf } from '../crisis/crisis-guard.ts';
import { CrisisNote } from '../crisis/crisis-note.tsx';
import { canAsk, countAsk } from '../listening/listening-day.ts';
import { VentList } from '../vent-list.tsx';
import { useVent } from '../vents.api.ts';
import { NightNote } from './night-note.tsx';
import styles from './feed-asides.module.css';

interface PinnedVentProps {
  readonly ref: Ref<HTMLDivElement>;
  readonly id: string;
  readonly hasNote: boolean;
  readonly onRead: () => void;
  readonly onWrite: () => void;
  readonly onDeleted: () => void;
}

/** The vent posted just now, marked as the reader's own, and what to do next. */
export function PinnedVent({ ref, id, hasNote, onRead, onWrite, onDeleted }: PinnedVentProps) {
  const { data: vent } = useVent(id);
  const place = ventPlace(id);
  const words = vent ? wordsOf(vent) : '';
  // Unknown while the guard loads: these buttons must not turn into others under a finger.
  const level = useShownLevel(place, words);
  // Asked to listen twice a day at most. The same as long as it is on screen.
  const [isAsking] = useState(() => hasNote && canAsk());
  useEffect(() => {
    // Also beside a card, where nobody is asked: the count in the browser's storage must not tell that there was one.
    if (isAsking) countAsk();
  }, [isAsking]);
  return (
    <div ref={ref} tabIndex={-1} className={styles.pinned}>
      {/* First: on a small phone a long vent fills the screen. */}
      {hasNote && (
        <p role="status">
          <strong>
            <Trans>It's out. Only you know it's yours.</Trans>
          </strong>
        </p>
      )}
      <CrisisNote place={place} moment="posted" text={words} />
      {vent && <VentList vents={[vent]} isMarkedOwn onDeleted={onDeleted} />}
      {hasNote && level !== undefined && level < 2 && (
        <div className={styles.after}>
          {vent?.userId.allowComments && <NightNote />}
          {isAsking ? (
            <AskToListen />
          ) : (
            <Button variant="outlined" onClick={onRead}>
              <Trans>Read other vents</Trans>
            </Button>
          )}
          <Button variant="quiet" onClick={onWrite}>
            <Trans>Write another</Trans>
          </Button>
        </div>
      )}
    </div>
  );
}

function AskToListen() {
  return (
    <>
      <p>
        <Trans>Someone else may be waiting too. Sit with them for a minute?</Trans>
      </p>
      <ButtonLink to={paths.listen} state={toHistoryState({ door: 'ask' })} variant="outlined">
        <Trans>Listen to someone</Trans>
      </ButtonLink>
    </>
  );
}
