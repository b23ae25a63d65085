import type { VentSaid } from '@unsaid/contract';
import { Trans } from '@lingui/react/macro';
import { useEffect, useId, useState, type Ref } from 'react';
import { Link } from 'react-router';
import { toHistoryState } from '../../../lib/history-state.ts';
import { paths } from '../../../lib/paths.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { cx } from '../../../ui/class-names.ts';
import { EmotionChip, emotionClass } from '../../../ui/emotion.tsx';
import { Status } from '../../../ui/status.tsx';
import { UserText } from '../../../ui/user-text.tsx';
import { ClippedText } from '../clipped-text.tsx';
import type { JustPosted } from '../compose/just-posted.ts';
import { useIsDistress, useShownLevel, ventPlace, wordsOf } from '../crisis/crisis-guard.ts';
import { CrisisNote } from '../crisis/crisis-note.tsx';
import { canAsk, countAsk } from '../listening/listening-day.ts';
import { VentAsks } from '../vent-asks.tsx';
import { VentList } from '../vent-list.tsx';
import { usePostedVent } from '../vents.api.ts';
import { NightNote } from './night-note.tsx';
import cardStyles from '../vent-card.module.css';
import styles from './feed-asides.module.css';

interface PinnedVentProps {
  readonly ref: Ref<HTMLDivElement>;
  readonly posted: JustPosted;
  readonly onRead: () => void;
  readonly onWrite: () => void;
  readonly onDeleted: () => void;
}

/** The vent posted just now, marked as the reader's own, and what to do next. */
export function PinnedVent({ ref, posted, onRead, onWrite, onDeleted }: PinnedVentProps) {
  const { ventId, held, hasNote } = posted;
  const { data: vent } = usePostedVent(ventId, held === null);
  const place = ventPlace(ventId);
  const said = held ?? vent;
  const words = said ? wordsOf(said) : '';
  // Unknown while the guard loads: these buttons must not turn into others under a finger.
  const level = useShownLevel(place, words);
  const isDistress = useIsDistress(words);
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
        <Status>
          <strong>
            {isDistress && (
              <>
                <Trans>We're glad you said it.</Trans>{' '}
              </>
            )}
            {held && <Trans>Goes out later. Only you can see it.</Trans>}
            {!held && !isDistress && <Trans>It's out. Only you know it's yours.</Trans>}
          </strong>
        </Status>
      )}
      <CrisisNote place={place} moment="posted" text={words} />
      {vent && <VentList vents={[vent]} isMarkedOwn onDeleted={onDeleted} />}
      {held && <HeldWords said={held} />}
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

/** Like the card of a vent, of files that the feed has loaded: what is fetched must not tell that one was held back. */
function HeldWords({ said }: { readonly said: VentSaid }) {
  const id = useId();
  return (
    <article aria-labelledby={id} className={cx(cardStyles.card, emotionClass(said.emotion))}>
      <EmotionChip emotion={said.emotion} />
      <h2 id={id} className={cardStyles.title}>
        <UserText>{said.title}</UserText>
      </h2>
      <ClippedText>{said.text}</ClippedText>
      <VentAsks vent={said} />
      <p>
        <Link to={paths.myVents}>
          <Trans>Post it now, or take it back</Trans>
        </Link>
      </p>
    </article>
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
