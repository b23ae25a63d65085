import type { Helpline } from '@unsaid/guard/helplines';
import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { withProviders } from '../../lib/testing.tsx';
import { HelplineList, HelplineSource } from './helpline-list.tsx';

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

  it('says nothing against a line that nobody has called', () => {
    expect(show([{ ...line, verifiedOn: null }])).toMatch(/Call 112 233Text 445$/u);
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

describe('HelplineSource', () => {
  const source = (...days: (string | null)[]) =>
    render(
      withProviders(<HelplineSource lines={days.map((verifiedOn) => ({ ...line, verifiedOn }))} />),
    ).container.textContent?.replace('The numbers come from public sources. ', '');

  it('never says a day that is not in the list', () => {
    expect(source(null, null)).toBe("We haven't called them yet.");
    expect(source(null, '2026-11-01', '2026-10-09')).toBe("We've called some of them, last on 1 Nov 2026.");
    expect(source('2026-11-01', '2026-10-09')).toBe("We've called each one since 9 Oct 2026.");
  });
});
