import { describe, expect, it, test } from 'vitest';
import { buildPhone, splitPhone, readablePhone } from './phone.ts';

describe('buildPhone', () => {
  it('starts with a plus (S5.2)', () => {
    expect(buildPhone('IN', '98765 43210')).toBe('+919876543210');
    expect(buildPhone('US', '(415) 555-0132')).toBe('+14155550132');
    expect(buildPhone('IN', '+1 415 555 0132')).toBe('+14155550132');
    expect(buildPhone('IN', '0014155550132')).toBe('+14155550132');
  });

  it('is empty without digits (S5.3)', () => {
    expect(buildPhone('IN', '')).toBe('');
    expect(buildPhone('IN', ' + ')).toBe('');
  });

  it('strips a leading 0 or 91 of Indian numbers', () => {
    expect(buildPhone('IN', '09876543210')).toBe('+919876543210');
    expect(buildPhone('IN', '919876543210')).toBe('+919876543210');
  });

  it('keeps a leading 0 elsewhere', () => {
    expect(buildPhone('IT', '0612345678')).toBe('+390612345678');
  });
});

describe('splitPhone', () => {
  const all = ['IN', 'US', 'CA', 'GB'];

  it('selects the country of a pasted number', () => {
    expect(splitPhone('+44 7700 900123', 'IN', all)).toEqual({ country: 'GB', number: '7700900123' });
  });

  it('keeps the selected country if several share a code', () => {
    expect(splitPhone('+1 416 555 0100', 'CA', all)?.country).toBe('CA');
  });

  it('ignores a number without a plus or a listed country', () => {
    expect(splitPhone('9876543210', 'IN', all)).toBeNull();
    expect(splitPhone('+86 131 0000 0000', 'IN', all)).toBeNull();
  });
});

test('an Indian number is shown in two fives, any other unchanged', () => {
  expect(readablePhone('+919876543210')).toBe('+91 98765 43210');
  expect(readablePhone('+14155552671')).toBe('+14155552671');
});
