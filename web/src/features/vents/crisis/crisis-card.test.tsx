import { helplines } from '@unsaid/guard/helplines';
import { act, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startSession } from '../../../lib/session.ts';
import { loadEveryLanguage } from '../../../locales/i18n.ts';
import { withProviders } from '../../../lib/testing.tsx';
import { CrisisCard, readAnswer, WritingCard, type WritingCardProps } from './crisis-card.tsx';
import { dismissLevel, moveDismissal } from './dismissals.ts';

const urgent = 'I want to die tonight. I have the tablets in front of me.';
const active = 'I want to die.';
const passive = 'There is no reason to live.';
const worriedAbout = 'My friend wants to die.';

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  sessionStorage.clear();
  for (const place of ['draft', 'v1', 'v2']) dismissLevel(place, 0);
});
afterEach(() => void vi.useRealTimers());

const field = { current: null as HTMLTextAreaElement | null };
const form = (props: Partial<WritingCardProps> & { readonly text: string }) =>
  withProviders(
    <form>
      <textarea ref={field} />
      <WritingCard place="draft" field={field} {...props} />
      <button type="submit">Post vent</button>
    </form>,
  );
const pause = () => act(() => void vi.advanceTimersByTime(600));
const card = () => screen.queryByRole('group', { name: 'Someone to talk to' });
const buttonsIn = (group: HTMLElement) =>
  [...group.querySelectorAll('a, button')].map((one) => one.getAttribute('href') ?? one.textContent);

function renderWriting(text: string, props: Partial<WritingCardProps> = {}) {
  const { rerender } = render(form({ text, ...props }));
  pause();
  return (next: string) => {
    rerender(form({ text: next, ...props }));
    pause();
  };
}

test('an ordinary text has no card', () => {
  renderWriting('The exam went badly and I am tired.');
  expect(card()).toBeNull();
});

test('level 1 is one line with a link to Support', () => {
  renderWriting(passive);
  expect(screen.getByRole('status').textContent).toBe('That sounds heavy. Want to talk to someone?');
  expect(screen.getByRole('link').getAttribute('href')).toBe('/support');
  expect(screen.queryByRole('link', { name: /Call/u })).toBeNull();
});

test('level 2 offers one helpline, and no text option that nobody has verified', () => {
  renderWriting(active);
  expect(screen.getByRole('status').textContent).toMatch(
    /^That sounds heavy\. You can post this, and you can also talk to someone\. Tele-\u2060?MANAS is free, day and night\.$/u,
  );
  const [first, ...others] = screen.getAllByRole('link');
  expect(first?.getAttribute('href')).toBe('tel:14416');
  const isAnyTextVerified = helplines.some(
    ({ country, text, verifiedOn }) => country === 'IN' && text.length > 0 && verifiedOn !== null,
  );
  expect(others.length > 0).toBe(isAnyTextVerified);
});

test('level 3 names 112 first', () => {
  renderWriting(urgent);
  expect(screen.getByRole('status').textContent).toBe(
    "If you've hurt yourself or might now, call 112. If you can, move away from anything you could use.",
  );
  expect(buttonsIn(card()!).slice(0, 2)).toEqual(['tel:112', 'tel:14416']);
});

test('the card is after the field and before the button, and takes no focus', () => {
  const write = renderWriting('');
  field.current?.focus();
  write(urgent);
  expect(document.activeElement).toBe(field.current);
  const order = [...document.querySelectorAll('textarea, [aria-label="Someone to talk to"], [type=submit]')];
  expect(order.map(({ tagName }) => tagName)).toEqual(['TEXTAREA', 'DIV', 'BUTTON']);
});

test('the status is announced once: it is there before its words, and further keys do not change it', () => {
  const write = renderWriting('');
  const status = screen.getByRole('status');
  expect(status.textContent).toBe('');
  let changes = 0;
  const observer = new MutationObserver((records) => (changes += records.length));
  observer.observe(status, { childList: true, characterData: true, subtree: true });
  const countChanges = () => {
    changes += observer.takeRecords().length;
    return changes;
  };
  write(active);
  expect(screen.getByRole('status')).toBe(status);
  const announced = countChanges();
  expect(announced).toBeGreaterThan(0);
  write(`${active} I cannot tell anybody.`);
  write(`${active} I cannot tell anybody. It is late.`);
  expect(countChanges()).toBe(announced);
});

test('the deletion of the words takes the card away', () => {
  const write = renderWriting(active);
  expect(card()).not.toBeNull();
  write('I');
  expect(card()).toBeNull();
});

const hide = () => fireEvent.click(screen.getByRole('button', { name: 'Hide this' }));

test('a dismissed card stays away for its level, comes back for a graver one, and leaves nothing in storage', () => {
  const write = renderWriting(active);
  hide();
  expect(card()).toBeNull();
  expect(document.activeElement).toBe(field.current);
  write(`${active} I am so tired.`);
  expect(card()).toBeNull();
  write(`${active} ${urgent}`);
  expect(card()).not.toBeNull();
  expect([localStorage.length, sessionStorage.length]).toEqual([0, 0]);
  expect(history.state).toBeNull();
});

test('a new text after an empty field gets its card again', () => {
  const write = renderWriting(active);
  hide();
  write('');
  write(active);
  expect(card()).not.toBeNull();
});

test('Escape dismisses only from within the card, and does not count towards the quick exit', () => {
  renderWriting(active);
  const keys: boolean[] = [];
  const onKey = (event: Event) => keys.push(event.defaultPrevented);
  addEventListener('keydown', onKey);
  fireEvent.keyDown(field.current!, { key: 'Escape' });
  expect(card()).not.toBeNull();
  fireEvent.keyDown(screen.getByRole('link', { name: 'Call 14416' }), { key: 'Escape' });
  removeEventListener('keydown', onKey);
  expect(card()).toBeNull();
  // The first was left to the page. The second did not get there.
  expect(keys).toEqual([false]);
});

test.each([
  ['posted', 'That sounds heavy. You can also talk to someone.'],
  ['own', "If it's still this heavy, you can talk to someone."],
  ['search', 'If things are heavy right now, you can talk to someone.'],
] as const)('the card of a text that is there already has its own sentence (%s)', (moment, sentence) => {
  render(withProviders(<CrisisCard place="v1" moment={moment} text={active} />));
  expect(within(card()!).getByRole('status').textContent).toContain(sentence);
});

test('an older vent of one’s own has a card from level 2 on', () => {
  render(withProviders(<CrisisCard place="v1" moment="own" from={2} text={passive} />));
  expect(card()).toBeNull();
});

test('a card dismissed while writing stays dismissed on the vent, until another session', () => {
  dismissLevel('draft', 3);
  moveDismissal('draft', 'v2');
  const { rerender } = render(withProviders(<CrisisCard place="v2" moment="posted" text={urgent} />));
  expect(card()).toBeNull();
  rerender(withProviders(<CrisisCard place="draft" moment="posted" text={urgent} />));
  expect(card()).not.toBeNull();
  rerender(withProviders(<CrisisCard place="v2" moment="posted" text={urgent} />));
  act(() => startSession('uns_other', 'u2'));
  expect(card()).not.toBeNull();
});

test('a comment is read for its writer first, then for whom it is about', () => {
  const none = { level: 0, isAboutSomeoneElse: false };
  const isWorried = { isAboutSomeoneElse: true };
  expect(readAnswer(active, active)).toMatchObject({ level: 2, isAboutSomeoneElse: false });
  expect(readAnswer('I read this.', active)).toMatchObject(isWorried);
  expect(readAnswer('', active)).toEqual(none);
  expect(readAnswer('I read this.', passive)).toEqual(none);
  expect(readAnswer(worriedAbout, 'About the exam.')).toMatchObject(isWorried);
  expect(readAnswer('Nice.', 'About the exam.')).toEqual(none);
});

test('whoever answers such a vent is told what they can do, and asked to call nobody on the first tap', () => {
  renderWriting('I read this.', { answers: active });
  const group = screen.getByRole('group', { name: 'What you can do' });
  expect(group.textContent).toContain("You don't need perfect words.");
  expect(within(group).queryByRole('link')).toBeNull();
});

test('whoever writes about another person is told about that person', () => {
  renderWriting(worriedAbout);
  const group = screen.getByRole('group', { name: 'What you can do' });
  expect(group.textContent).toContain('If they could be in danger now, call 112');
  expect(buttonsIn(group)[0]).toBe('tel:14416');
});

const abuse = {
  violence: 'my husband beats me every night',
  rape: 'he raped me and nobody knows',
  child: 'mera uncle mujhe galat jagah chhuta hai. main 16 ki hu',
} as const;

test.each([
  [abuse.violence, ['tel:181', 'tel:112']],
  [abuse.rape, ['tel:181', 'tel:112']],
  [abuse.child, ['tel:1098', 'tel:112']],
])('abuse has a quiet card while it is written, with the numbers for it: %s', (text, numbers) => {
  renderWriting(text);
  const group = screen.getByRole('group');
  expect(buttonsIn(group).filter((one) => one?.startsWith('tel:'))).toEqual(numbers);
  expect(group.textContent).toMatch(/call list|कॉल लिस्ट/u);
});

test('after posting, My Vents has one line that names nothing until it is tapped', () => {
  render(withProviders(<CrisisCard place="v1" moment="own" from={2} text={abuse.violence} hasAbuseLine />));
  const group = screen.getByRole('group');
  expect(group.textContent).toBe('Someone to talk to');
  fireEvent.click(within(group).getByRole('button'));
  expect(buttonsIn(group).filter((one) => one?.startsWith('tel:'))).toEqual(['tel:181', 'tel:112']);
});

test('no other place speaks of abuse', () => {
  render(withProviders(<CrisisCard place="v1" moment="posted" text={abuse.violence} />));
  expect(screen.queryByRole('group')).toBeNull();
  expect(readAnswer(abuse.violence, 'somebody else’s vent').level).toBe(0);
});

test('a text in a script that is not read gets the hand, and no word about it', () => {
  renderWriting('আমি আর বাঁচতে চাই না');
  expect(screen.getByRole('status').textContent).toMatch(/^If things are heavy right now/u);
});

test('the card speaks the language of the text, also of one that was written before its words were loaded', async () => {
  renderWriting('मैं मर जाना चाहती हूँ');
  expect(screen.getByRole('group').lang).toBe('en');
  await act(() => loadEveryLanguage('crisis'));
  expect(screen.getByRole('group').lang).toBe('hi');
  expect(screen.getByRole('status').textContent).toMatch(/मन बहुत भारी/u);
});
