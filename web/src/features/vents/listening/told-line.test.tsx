import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setNeutralTab, usePageTitle } from '../../../lib/neutral-tab.ts';
import { paths } from '../../../lib/paths.ts';
import { quietHours } from '../../../lib/quiet-hours.ts';
import { endSession } from '../../../lib/session.ts';
import { renderSignedIn, testServer, type SentRequest } from '../../../lib/testing.tsx';
import { isToldHere, waitingMark } from '../../../lib/told.ts';
import { stopForToday } from './listening-day.ts';
import { ToldLine } from './told-line.tsx';

let requests: SentRequest[] = [];

beforeEach(() => {
  endSession('logout');
  localStorage.clear();
  history.replaceState(null, '', '/');
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: new Date(2026, 10, 18, 12) });
  requests = testServer(() => ({}));
});

afterEach(() => {
  expect(requests, 'a mark causes no request').toEqual([]);
  act(() => setNeutralTab(false));
  vi.useRealTimers();
});

function Page() {
  usePageTitle('Vents');
  return <ToldLine />;
}

function open() {
  const page = renderSignedIn(<Page />);
  act(() => isToldHere.set(true));
  return page;
}

const mark = () => act(() => waitingMark.set(true));
const isShown = () => screen.queryByText("Someone's waiting to be heard.") !== null;
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));

test('a mark shows a line that leads to Listen, and a dot in the title, but not with the neutral tab', () => {
  open();
  expect(document.title).toBe('Vents · Unsaid');
  mark();
  expect(screen.getByRole('status').textContent).toContain("Someone's waiting to be heard.");
  expect(screen.getByRole('link', { name: 'Listen' }).getAttribute('href')).toBe(paths.listen);
  expect(document.title).toBe('• Vents · Unsaid');
  act(() => setNeutralTab(true));
  expect(document.title).toBe('Notes');
  act(() => setNeutralTab(false));
  press('Not now');
  expect(isShown()).toBe(false);
  expect(document.title).toBe('Vents · Unsaid');
});

test('it goes after ten minutes, and comes three times a day at most', () => {
  open();
  for (const isAllowed of [true, true, true, false]) {
    mark();
    expect(isShown()).toBe(isAllowed);
    act(() => void vi.advanceTimersByTime(10 * 60_000));
    expect(isShown()).toBe(false);
  }
  vi.setSystemTime(new Date(2026, 10, 19, 0, 1));
  mark();
  expect(isShown()).toBe(true);
});

test('"Not today" is silent until midnight, here and after the region said it', () => {
  open();
  mark();
  press('Not today');
  mark();
  expect(isShown()).toBe(false);
  vi.setSystemTime(new Date(2026, 10, 19, 0, 1));
  mark();
  expect(isShown()).toBe(true);
  act(stopForToday);
  expect(isShown()).toBe(false);
});

test('quiet hours are silent, and so is /listen', () => {
  quietHours.set('11:00-13:00');
  const page = open();
  mark();
  expect(isShown()).toBe(false);
  page.unmount();
  quietHours.set('');
  history.replaceState(null, '', paths.listen);
  open();
  mark();
  expect(isShown()).toBe(false);
  expect(localStorage.getItem('unsaid.listening')).toBeNull();
});

test('beside a crisis card nothing is shown, and the count does not tell that there was one', () => {
  const card = document.body.appendChild(document.createElement('div'));
  card.dataset['card'] = '';
  open();
  mark();
  expect(isShown()).toBe(false);
  expect(localStorage.getItem('unsaid.listening')).toBe('2026-11-18 0 0 1 0');
  card.remove();
  mark();
  expect(isShown()).toBe(true);
});

test('it goes with the switch, and log-out deletes the switch and the count', () => {
  open();
  mark();
  act(() => isToldHere.set(false));
  expect(isShown()).toBe(false);
  act(() => isToldHere.set(true));
  mark();
  act(() => endSession('logout'));
  expect([isToldHere.get(), localStorage.getItem('unsaid.told')]).toEqual([false, null]);
  expect(localStorage.getItem('unsaid.listening')).toBeNull();
});
