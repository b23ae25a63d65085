import type { AbuseKind } from '@unsaid/guard/abuse';
import type { CrisisReading } from '@unsaid/guard/crisis';
import { useEffect, useEffectEvent, useState, type RefObject } from 'react';
import { flushSync } from 'react-dom';

/** Long enough not to interrupt a sentence. */
const pauseMs = 600;

/** Of one's own words: abuse has the quiet card where there is no card of distress. */
export interface Reading extends CrisisReading {
  readonly abuse?: AbuseKind | undefined;
  readonly isUnread?: true;
}

export const noReading: Reading = { level: 0, isAboutSomeoneElse: false };

interface Shown {
  readonly text: string;
  readonly reading: Reading;
}

/** More words after the ones that were read do not lower the level, unless they change it to none (a joke, an idiom). */
export function nextShown(shown: Shown, text: string, reading: Reading): Shown {
  const isLower = reading.level > 0 && reading.level < shown.reading.level;
  if (isLower && text.includes(shown.text)) return shown;
  return { text, reading };
}

/**
 * The reading of a text, updated when its writer pauses: neither a key nor a pointer for a moment. What then appears
 * above the submit button must not move it away from a finger or a mouse that is on its way.
 */
export function usePausedReading(
  text: string,
  read: (text: string) => Reading,
  place: RefObject<HTMLElement | null>,
): Reading {
  const [shown, setShown] = useState<Shown>({ text: '', reading: noReading });
  /** False if it has to wait longer. */
  const update = useEffectEvent((text: string) => {
    const next = nextShown(shown, text, read(text));
    const { reading } = shown;
    const isSame =
      next.reading.level === reading.level &&
      next.reading.isAboutSomeoneElse === reading.isAboutSomeoneElse &&
      next.reading.abuse === reading.abuse;
    if (isSame) {
      setShown(next);
      return true;
    }
    const card = place.current;
    const form = card?.closest('form');
    const button = form?.querySelector<HTMLElement>('[type=submit]');
    if (button?.matches(':hover') && matchMedia('(hover: hover)').matches) return false;
    const show = () => flushSync(() => setShown(next));
    if (form && button && card) showCard(card, button, form, show);
    else show();
    return true;
  });
  useEffect(() => {
    let timer = 0;
    const stop = () => {
      clearTimeout(timer);
      for (const type of pointerEvents) removeEventListener(type, wait);
    };
    const wait = () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => (update(text) ? stop() : wait()), pauseMs);
    };
    for (const type of pointerEvents) addEventListener(type, wait);
    wait();
    return stop;
  }, [text]);
  return shown.reading;
}

const pointerEvents = ['pointermove', 'pointerdown'] as const;

/** Of a field, with its padding. */
const lineHeight = 52;

/**
 * Makes a change that adds or removes the card, and brings the card into view. A button at the end of the form keeps its
 * place on the screen, as long as the line being written does not go under the header. One that was stuck to the bottom
 * goes to the end of the form: for a moment, a tap on the place that it has just left still presses it, because nobody
 * has read so soon what is there now.
 */
function showCard(card: HTMLElement, button: HTMLElement, form: HTMLFormElement, change: () => void): void {
  const bottomOf = (element: HTMLElement | null) => element?.getBoundingClientRect().bottom ?? 0;
  const isStuck = bottomOf(form) - bottomOf(button.parentElement) > 1;
  const before = button.getBoundingClientRect();
  change();
  const topNow = () => button.getBoundingClientRect().top;
  const moved = topNow() - before.top;
  if (moved !== 0 && !isStuck) {
    const field = form.contains(document.activeElement) ? document.activeElement : null;
    const header = Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
    const room = field ? Math.max(0, field.getBoundingClientRect().bottom - header - lineHeight) : moved;
    window.scrollBy({ top: Math.min(moved, room), behavior: 'instant' });
  }
  if ('card' in card.dataset) card.scrollIntoView({ block: 'nearest', behavior: 'instant' });
  if (Math.abs(topNow() - before.top) > 1) redirectTaps(before, button);
}

const redirectMs = 500;

function redirectTaps(from: DOMRect, to: HTMLElement): void {
  const redirect = (event: MouseEvent) => {
    const { clientX: x, clientY: y, target } = event;
    const isThere = x >= from.left && x <= from.right && y >= from.top && y <= from.bottom;
    // A click without a place comes from a key or from this function.
    // Sent meanwhile, the form may be gone: then the tap belongs to what is there instead.
    if (!isThere || event.detail === 0 || !to.isConnected || to.contains(target as Node)) return;
    event.preventDefault();
    event.stopPropagation();
    to.click();
  };
  document.addEventListener('click', redirect, true);
  setTimeout(() => document.removeEventListener('click', redirect, true), redirectMs);
}
