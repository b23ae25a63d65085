import type { Helpline } from '@unsaid/guard/helplines';
import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { withProviders } from '../../lib/testing.tsx';
import { HelplineList } from './helpline-list.tsx';

const line: Helpline = {
  id: 'a',
  country: 'IN',
  name: 'A line',
  kind: 'distress',
  call: [{ shown: '112 233', href: 'tel:112233' }],
  text: [{ kind: 'sms', shown: '445', href: 'sms:445' }],
  languages: ['hi', 'en'],
  hours: 'always',
  cost: 'free',
  verifiedOn: '2026-11-01',
};
const noon = new Date(2026, 10, 16, 12);

function show(lines: readonly Helpline[], now = noon): string {
  const { container } = render(withProviders(<HelplineList lines={lines} now={now} />));
  return container.textContent ?? '';
}

describe('HelplineList', () => {
  it('says of a verified line in which month that was, and its facts', () => {
    expect(show([line])).toBe(
      "A lineSomeone to talk to when it's too much.Day and night · Free · Hindi and EnglishCall 112 233Text 445Checked in November.",
    );
  });

  it('names the year of an older verification', () => {
    expect(show([{ ...line, verifiedOn: '2025-05-19' }])).toContain('Checked in May 2025.');
  });

  it('says of a line that nobody has called it, and of several once', () => {
    const unverified = { ...line, verifiedOn: null };
    expect(show([unverified])).toContain("We haven't called to check it yet");
    const all = show([unverified, { ...unverified, id: 'b' }]);
    expect(all.match(/haven't called/gu)).toHaveLength(1);
    const mixed = show([line, { ...unverified, id: 'b' }]);
    expect(mixed.match(/haven't called to check it/gu)).toHaveLength(1);
  });

  it('leaves out what is not known', () => {
    expect(show([{ ...line, hours: null, cost: null, languages: null, text: [] }])).toBe(
      "A lineSomeone to talk to when it's too much.Call 112 233Checked in November.",
    );
  });

  it.each([
    ['22:00', new Date(2026, 10, 16, 22, 0), true],
    ['5:59', new Date(2026, 10, 16, 5, 59), true],
    ['6:00', new Date(2026, 10, 16, 6, 0), false],
    ['21:59', new Date(2026, 10, 16, 21, 59), false],
  ])('puts texts first at night, at %s', (_, now, isTextFirst) => {
    show([{ ...line, id: 'b', name: 'No texts', text: [] }, line], now);
    const headings = screen.getAllByRole('heading').map(({ textContent }) => textContent);
    expect(headings[0]).toBe(isTextFirst ? 'A line' : 'No texts');
    const links = screen.getAllByRole('link').map(({ textContent }) => textContent);
    expect(links.indexOf('Text 445') < links.lastIndexOf('Call 112 233')).toBe(isTextFirst);
  });
});
