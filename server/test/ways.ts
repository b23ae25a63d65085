import { ways, wayIn, type AccountState, type Entry, type Held, type Way } from '../src/identity/ways-in.ts';

/** The table of docs/ways-in.md: who holds what, against every way into an account. */

const single = {
  'the unlocked phone for five minutes': { session: true, sms: true, device: true },
  'the SIM': { sms: true },
  'the recovery code': { paper: true },
  'an open session': { session: true },
  'the SIM of the former number': { formerSms: true },
} satisfies Record<string, Held>;

/** Each alone, and two of them. */
export const holders: Readonly<Record<string, Held>> = Object.fromEntries([
  ['a browser that signed in before', { device: true }],
  ...Object.entries(single),
  ...Object.entries(single).flatMap(([one, held], n) =>
    Object.entries(single)
      .slice(n + 1)
      // Whoever has the phone has its SIM and its sessions. A former number is of use with a recovery code alone.
      .filter(([other, more]) =>
        'device' in held || 'formerSms' in more
          ? other === 'the recovery code' || one === 'the recovery code'
          : true,
      )
      .map(([other, more]) => [`${one} and ${other}`, { ...held, ...more }]),
  ),
]);

export interface Case {
  readonly name: string;
  readonly way: Way;
  readonly account: AccountState;
}

export const cases: readonly Case[] = [
  { name: 'code to the number', way: 'code', account: { idleDays: 0 } },
  { name: 'code to the number after 91 idle days', way: 'code', account: { idleDays: 91 } },
  { name: 'recovery code', way: 'recoveryCode', account: {} },
  {
    name: 'recovery code, number changed since',
    way: 'recoveryCode',
    account: { isNumberChanged: true },
  },
  {
    name: 'cancelled recovery code, number changed since',
    way: 'recoveryCode',
    account: { isPaperReplaced: true, isNumberChanged: true },
  },
  { name: 'change of number', way: 'changedNumber', account: {} },
  { name: 'session', way: 'session', account: {} },
];

export const entryOf = ({ way, account }: Case, held: Held): Entry => wayIn(way, held, account);

/** With everything in hand: what the way is, for the columns that do not depend on the holder. */
export const openEntry = (one: Case): Entry =>
  entryOf(one, { session: true, sms: true, formerSms: true, paper: true, device: true });

const missing = ways.filter((way) => !cases.some((one) => one.way === way));
if (missing.length > 0) throw new Error(`no case for ${missing.join()}`);
