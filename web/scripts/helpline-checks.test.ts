import { type Helpline, helplines, type OpeningHours } from '@unsaid/guard/helplines';
import { describe, expect, test } from 'vitest';
import { helplineProblems, helplineSources, verifiedDaysLeft } from './helpline-checks.ts';

const today = '2026-11-16';

function makeLine(changes: Partial<Helpline> = {}): Helpline {
  return {
    id: 'in-tele-manas',
    country: 'IN',
    name: 'A line',
    kind: 'distress',
    call: [{ shown: '1-800-123', href: 'tel:1800123' }],
    text: [],
    languages: null,
    hours: null,
    cost: null,
    verifiedOn: '2026-06-01',
    ...changes,
  };
}

const hoursIn = (
  zone: string,
  from: string,
  to: string,
  on = [0, 1, 2, 3, 4, 5, 6],
): { hours: OpeningHours } => ({
  hours: { zone, spans: [{ days: on, from, to }] },
});

test('the list is valid, and has a source for each record', () => {
  expect(helplines.flatMap((line) => helplineProblems(line, today))).toEqual([]);
  expect(Object.keys(helplineSources).toSorted()).toEqual(helplines.map((line) => line.id).toSorted());
});

test('a verification lasts 180 days, the last of them included', () => {
  expect(verifiedDaysLeft({ verifiedOn: '2026-01-01' }, '2026-06-30')).toBe(0);
  expect(verifiedDaysLeft({ verifiedOn: '2028-01-01' }, '2028-06-30')).toBe(-1); // A leap year.
  expect(verifiedDaysLeft({ verifiedOn: null }, '2026-01-01')).toBeNull();
});

describe('helplineProblems', () => {
  test('reports nothing for a valid record, nor for one that is not verified', () => {
    expect(helplineProblems(makeLine(), today)).toEqual([]);
    expect(helplineProblems(makeLine({ verifiedOn: null }), today)).toEqual([]);
  });

  test.each<[string, Partial<Helpline>]>([
    ['a country that is no code', { country: 'India' }],
    ['an empty name', { name: ' ' }],
    ['no source', { id: 'in-nobody' }],
    ['no number', { call: [] }],
    ['a link that dials another number', { call: [{ shown: '112', href: 'tel:121' }] }],
    ['letters in a number', { call: [{ shown: '1800-HELP', href: 'tel:1800HELP' }] }],
    ['a text to another number', { text: [{ kind: 'sms', shown: '988', href: 'sms:989' }] }],
    ['a text that would call', { text: [{ kind: 'sms', shown: '988', href: 'tel:988' }] }],
    [
      'a chat with another number',
      { text: [{ kind: 'whatsapp', shown: '99', href: 'whatsapp://send?phone=9199' }] },
    ],
    ['half a language', { languages: 0.5 }],
    ['an empty list of languages', { languages: [] }],
    ['a day that does not exist', { verifiedOn: '2026-02-30' }],
    ['a day in another form', { verifiedOn: '13 December 2025' }],
    ['a day still to come', { verifiedOn: '2026-11-17' }],
    ['a verification of 181 days ago', { verifiedOn: '2026-05-19' }],
    ['a zone that does not exist', hoursIn('Asia/Nowhere', '08:00', '20:00')],
    ['a time off the quarter hours', hoursIn('Asia/Kolkata', '08:10', '20:00')],
    ['24:00', hoursIn('Asia/Kolkata', '08:00', '24:00')],
    ['an eighth weekday', hoursIn('Asia/Kolkata', '08:00', '20:00', [7])],
    ['no weekday', hoursIn('Asia/Kolkata', '08:00', '20:00', [])],
  ])('reports %s', (_, changes) => {
    expect(helplineProblems(makeLine(changes), today)).toHaveLength(1);
  });

  test('says what to do about an ended verification', () => {
    expect(helplineProblems(makeLine({ verifiedOn: '2026-05-19' }), today)).toEqual([
      expect.stringMatching(/Call it and set verifiedOn .* or set verifiedOn to null/u),
    ]);
    expect(helplineProblems(makeLine({ verifiedOn: '2026-05-20' }), today)).toEqual([]);
  });
});
