import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { paths } from '../../../lib/paths.ts';
import { isQuietNow } from '../../../lib/quiet-hours.ts';
import { isToldHere, waitingMark } from '../../../lib/told.ts';
import { setIsTold, useIsTold } from '../../../lib/unread.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button, ButtonLink, IconButton } from '../../../ui/button.tsx';
import { canTell, countTold, stopForToday, useListeningDay } from './listening-day.ts';
import close from '@material-symbols/svg-400/rounded/close.svg?path';

/** Later it would hardly be true any more. */
const shownMs = 10 * 60_000;

/** Takes what a tick said. It causes no request, here as elsewhere. */
function takeMark(): void {
  if (!waitingMark.get()) return;
  waitingMark.set(false);
  if (location.pathname === paths.listen || isQuietNow() || !canTell()) return;
  // Also beside a crisis card, where nobody is told: the count in the browser's storage must not tell that there was one.
  countTold();
  if (document.querySelector('[data-card]') === null) setIsTold(true);
}

/**
 * The line that somebody waits to be heard, on every page. Loaded by everyone alike, so that the request does not tell who
 * listens.
 */
export function ToldLine() {
  const { t } = useLingui();
  const isTold = useIsTold();
  const isWanted = isToldHere.useValue();
  const { isOff } = useListeningDay();
  const isListening = useLocation().pathname === paths.listen;
  const isOver = !isWanted || isOff || isListening;
  const isMarked = waitingMark.useValue();
  useEffect(takeMark, [isMarked]);
  useEffect(() => {
    if (!isTold) return undefined;
    if (isOver) return setIsTold(false);
    const timer = setTimeout(() => setIsTold(false), shownMs);
    return () => clearTimeout(timer);
  }, [isTold, isOver]);
  const leave = () => {
    // The focused button disappears: move focus to the page.
    document.getElementById('page')?.focus({ preventScroll: true });
    setIsTold(false);
  };
  return (
    <div role="status">
      {isTold && !isOver && (
        <Banner isShy>
          <p>
            <Trans>Someone's waiting to be heard.</Trans>
          </p>
          <IconButton label={t`Not now`} icon={close} iconSize={20} onClick={leave} />
          <Button
            variant="quiet"
            onClick={() => {
              stopForToday();
              leave();
            }}
          >
            <Trans>Not today</Trans>
          </Button>
          <ButtonLink to={paths.listen}>{t`Listen`}</ButtonLink>
        </Banner>
      )}
    </div>
  );
}
