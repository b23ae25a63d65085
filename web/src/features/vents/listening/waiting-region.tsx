import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { toHistoryState } from '../../../lib/history-state.ts';
import { paths, ventPath } from '../../../lib/paths.ts';
import { createSessionMap } from '../../../lib/store.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { cx } from '../../../ui/class-names.ts';
import { EmotionChip, emotionClass } from '../../../ui/emotion.tsx';
import { TimeAgo } from '../../../ui/time-ago.tsx';
import { UserText } from '../../../ui/user-text.tsx';
import { useIsAway } from '../hiding/is-folded.ts';
import { textAfterTitle } from '../text-after-title.ts';
import { stopForToday } from './listening-day.ts';
import { useWaiting } from './listening.api.ts';
import type { VentView } from '@unsaid/contract';
import styles from './waiting-region.module.css';

/** How many vents a page of the feed shows here. Decided once, so that Back leads to the same. */
const placesAt = createSessionMap<1 | 2>();

interface WaitingRegionProps {
  readonly page: number;
  /** Ids of the vents on the page. */
  readonly shown: readonly string[];
  /** The reader has just posted. Where the region then lies, and so when it is asked for, would tell whether that is held back. */
  readonly isAfterPost: boolean;
}

/** Vents that nobody has answered yet, beside a page of Recent. Asked for when the reader gets there. */
export function WaitingRegion({ page, shown, isAfterPost }: WaitingRegionProps) {
  const { t } = useLingui();
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setIsNear] = useState(false);
  useEffect(() => {
    if (!place.current) return undefined;
    const observer = new IntersectionObserver(
      (entries) => setIsNear((was) => was || entries.some(({ isIntersecting }) => isIntersecting)),
      { rootMargin: '0px 0px 400px' },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  const { data, isError } = useWaiting(String(page), 'region', isNear || isAfterPost);
  // What lists fold waits on the page for listeners, where it comes first.
  const others = data?.vents.filter(({ _id, heavy }) => !shown.includes(_id) && !heavy);
  const isKnown = isError || others !== undefined;
  // A place that is in view when the vents arrive keeps its height, that of one: what is being read must not move.
  const places = placesAt.useValue(String(page));
  const waiting = others?.slice(0, places ?? 1);
  const hasVents = waiting !== undefined && waiting.length > 0;
  useLayoutEffect(() => {
    if (!isKnown || !place.current || placesAt.get(String(page)) !== undefined) return;
    placesAt.set(String(page), isVisible(place.current.getBoundingClientRect()) ? 1 : 2);
  }, [isKnown, page]);
  const isKept = !isKnown || places !== 2;
  if (!hasVents && !isKept) return null;
  return (
    <div ref={place} className={cx(isKept && styles.kept)}>
      {data?.vents.length === 0 && (
        <p className={styles.nobody}>
          <Trans>Everyone has been heard for now.</Trans>
        </p>
      )}
      {hasVents && (
        <section aria-labelledby={id} className={styles.region}>
          <div className={styles.head}>
            <h2 id={id}>{t`Waiting to be heard`}</h2>
            <ButtonLink to={paths.listen} variant="quiet">{t`Listen`}</ButtonLink>
            <Button
              variant="quiet"
              onClick={() => {
                // The focused button disappears: move focus to the page.
                document.getElementById('page')?.focus({ preventScroll: true });
                stopForToday();
              }}
            >
              <Trans>Not today</Trans>
            </Button>
          </div>
          <ul role="list" className={styles.list}>
            {waiting.map((vent) => (
              <WaitingVent key={vent._id} vent={vent} />
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

const isVisible = ({ top, bottom }: DOMRect) => top < window.innerHeight && bottom > 0;

function WaitingVent({ vent }: { readonly vent: VentView }) {
  // Hidden or reported since it was drawn.
  if (useIsAway(vent)) return null;
  const text = textAfterTitle(vent);
  return (
    <li className={cx(styles.vent, emotionClass(vent.emotion))}>
      <div className={styles.top}>
        <EmotionChip emotion={vent.emotion} />
        <TimeAgo at={vent.createdAt} isOwn={vent.isOwner} className={styles.time} />
      </div>
      <h3 className={cx(styles.title, text === '' && styles.only)}>
        <Link to={ventPath(vent._id)} state={toHistoryState({ isFromFeed: true, door: 'region' })}>
          <UserText>{vent.title}</UserText>
        </Link>
      </h3>
      {text !== '' && <UserText className={styles.text}>{text}</UserText>}
    </li>
  );
}
