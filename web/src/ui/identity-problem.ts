import type { IdentityRule, Written } from '@unsaid/guard/identity';
import type { PeopleRule } from '@unsaid/guard/people';

/** What a form sends, by field: texts, and lists of words. */
export type WrittenFields = Readonly<Record<string, Written>>;

export interface IdentityProblem {
  readonly field: string;
  /** What only this browser looks for is `name` or `place`: it is never refused. */
  readonly rule: IdentityRule | PeopleRule;
  readonly isRefused: boolean;
  /** The place in the field's text. Empty if only the server found it. */
  readonly start: number;
  readonly end: number;
  readonly fields: WrittenFields;
}

export interface IdentityGuard {
  readonly problem: IdentityProblem | undefined;
  /** False where something was found. The notice is then shown, and nothing may be sent. */
  check(fields: WrittenFields, isSure: boolean): boolean;
  /**
   * Shows the notice if this is why the server refused what `check` saw last. False otherwise, also if the form has
   * changed since: the notice would hide a part of the old words in place of the new ones.
   */
  showRefusal(error: unknown, fields: WrittenFields): Promise<boolean>;
  clear(): void;
}
