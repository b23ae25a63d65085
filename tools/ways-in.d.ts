import { type AccountState, type Entry, type Held, type Way } from '../server/src/identity/ways-in.ts';
/** Each alone, and two of them. */
export declare const holders: Readonly<Record<string, Held>>;
export interface Case {
  readonly name: string;
  readonly way: Way;
  readonly account: AccountState;
}
export declare const cases: readonly Case[];
export declare const entryOf: ({ way, account }: Case, held: Held) => Entry;
/** With everything in hand: what the way is, for the columns that do not depend on the holder. */
export declare const openEntry: (one: Case) => Entry;
