import { describe, expect, it } from 'vitest';
import { type Helpline, helplineProblems, helplines, helplinesByCountry, isStale } from './helplines.ts';

const listedOn = '2026-11-15';

function makeLine(changes: Partial<Helpline> = {}): Helpline {
  return {
    country: 'IN',
    region: 'India',
    name: 'A line',
    numbers: [{ shown: '1-800-123', href: 'tel:1800123' }],
    isTextable: false,
    hours: null,
    cost: null,
    languages: null,
    kind: 'distress',
    source: 'somewhere',
    checkedOn: '2026-01-01',
    ...changes,
  };
}

describe('isStale', () => {
  it('is false on the day of the check and for 180 days', () => {
    expect(isStale({ checkedOn: '2026-01-01' }, '2026-01-01')).toBe(false);
    expect(isStale({ checkedOn: '2026-01-01' }, '2026-06-30')).toBe(false);
  });

  it('is true from day 181 on', () => {
    expect(isStale({ checkedOn: '2026-01-01' }, '2026-07-01')).toBe(true);
    expect(isStale({ checkedOn: '2026-01-01' }, '2027-01-01')).toBe(true);
  });

  it('counts the leap day', () => {
    expect(isStale({ checkedOn: '2028-01-01' }, '2028-06-29')).toBe(false);
    expect(isStale({ checkedOn: '2028-01-01' }, '2028-06-30')).toBe(true);
  });
});

describe('the list of helplines', () => {
  it('is well formed', () => {
    expect(helplines.flatMap((line) => helplineProblems(line, listedOn))).toEqual([]);
  });

  it('puts India first, Tele-MANAS before all others, and each country once', () => {
    const countries = helplinesByCountry().map((group) => group.country);
    expect(countries).toEqual(['IN', 'US', 'CA', 'GB', 'IE', 'AU']);
    expect(helplines[0]?.name).toBe('Tele-MANAS');
    expect(helplinesByCountry().flatMap((group) => group.lines)).toHaveLength(helplines.length);
  });

  it('has a number in India for each kind of need', () => {
    const kinds = helplines.filter((line) => line.country === 'IN').map((line) => line.kind);
    expect(kinds).toEqual(['distress', 'emergency', 'women', 'children']);
  });
});

describe('helplineProblems', () => {
  it('reports nothing for a valid record', () => {
    expect(helplineProblems(makeLine(), listedOn)).toEqual([]);
  });

  it.each<[string, Partial<Helpline>]>([
    ['a country that is no code', { country: 'India' }],
    ['an empty name', { name: ' ' }],
    ['an empty source', { source: '' }],
    ['no number', { numbers: [] }],
    ['a link that dials another number', { numbers: [{ shown: '112', href: 'tel:121' }] }],
    ['letters in a number', { numbers: [{ shown: '1800-HELP', href: 'tel:1800HELP' }] }],
    ['half a language', { languages: 0.5 }],
    ['a day that does not exist', { checkedOn: '2026-02-30' }],
    ['a day in another form', { checkedOn: '13 December 2025' }],
    ['a day still to come', { checkedOn: '2026-11-16' }],
  ])('reports %s', (_, changes) => {
    expect(helplineProblems(makeLine(changes), listedOn)).toHaveLength(1);
  });
});
