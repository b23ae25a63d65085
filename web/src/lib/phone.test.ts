import { describe, expect, it } from 'vitest';
import { buildPhone, splitPhone, readablePhone } from './phone.ts';

describe('buildPhone', () => {
  it('always begins what is sent with a plus', () => {
    expect(buildPhone('IN', '98765 43210')).toBe('+919876543210');
    expect(buildPhone('US', '(415) 555-0132')).toBe('+14155550132');
    expect(buildPhone('IN', '+1 415 555 0132')).toBe('+14155550132');
    expect(buildPhone('IN', '0014155550132')).toBe('+14155550132');
  });

  it('is empty while no digit was typed', () => {
    expect(buildPhone('IN', '')).toBe('');
    expect(buildPhone('IN', ' + ')).toBe('');
  });

  it('forgives the 0 and the 91 that Indians write in front', () => {
    expect(buildPhone('IN', '09876543210')).toBe('+919876543210');
    expect(buildPhone('IN', '919876543210')).toBe('+919876543210');
  });

  it('keeps a 0 that is part of the number elsewhere', () => {
    expect(buildPhone('IT', '0612345678')).toBe('+390612345678');
  });
});

describe('splitPhone', () => {
  const all = ['IN', 'US', 'CA', 'GB'];

  it('moves the picker to the country of a pasted number', () => {
    expect(splitPhone('+44 7700 900123', 'IN', all)).toEqual({ country: 'GB', number: '7700900123' });
  });

  it('keeps the chosen country where several share a code', () => {
    expect(splitPhone('+1 416 555 0100', 'CA', all)?.country).toBe('CA');
  });

  it('leaves alone what has no plus or no country on the list', () => {
    expect(splitPhone('9876543210', 'IN', all)).toBeNull();
    expect(splitPhone('+86 131 0000 0000', 'IN', all)).toBeNull();
  });
});

it('an Indian number is shown in two fives, any other as it is', () => {
  expect(readablePhone('+919876543210')).toBe('+91 98765 43210');
  expect(readablePhone('+14155552671')).toBe('+14155552671');
});
