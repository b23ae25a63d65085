import { findAddresses } from './identity-addresses.ts';
import { findNumbers, findPan } from './identity-numbers.ts';
import { rules, tokenize, type IdentityRule } from './identity-tokens.ts';

export type { IdentityRule } from './identity-tokens.ts';

/**
 * The identity guard: finds what leads to a person in a text. Browser and server run the same scan, which takes time
 * linear in the length of the text. It reads words, not meaning: names, addresses and workplaces pass.
 */

export interface IdentityFinding {
  readonly rule: IdentityRule;
  /** Offsets in UTF-16 units, as in `slice`. */
  readonly start: number;
  readonly end: number;
  /** Refused, or only warned about: people may post a link or a handle if they are sure. */
  readonly isRefused: boolean;
}

const mask = '•••';

const isRefusedRule = (rule: IdentityRule) => rule !== 'link' && rule !== 'handle';

/** Sorted by place. Findings that overlap are one. */
export function findIdentity(text: string): readonly IdentityFinding[] {
  const tokens = tokenize(text);
  const all = [...findAddresses(tokens), ...findNumbers(tokens, text), ...findPan(tokens, text)]
    .map(({ rule, first, last }) => ({ rule, start: tokens[first]?.start ?? 0, end: tokens[last]?.end ?? 0 }))
    .toSorted((a, b) => a.start - b.start);
  const findings: IdentityFinding[] = [];
  for (const next of all) {
    const before = findings.at(-1);
    const overlaps = before !== undefined && next.start < before.end;
    const rule = overlaps && rules.indexOf(before.rule) < rules.indexOf(next.rule) ? before.rule : next.rule;
    const start = overlaps ? before.start : next.start;
    const end = overlaps ? Math.max(before.end, next.end) : next.end;
    if (overlaps) findings.pop();
    findings.push({ rule, start, end, isRefused: isRefusedRule(rule) });
  }
  return findings;
}

/** What somebody wrote in a field: a text, or a list of words. */
export type Written = string | readonly string[];

/** A list is read as one text: a number split over hashtags is one number. */
export const textOf = (written: Written): string =>
  typeof written === 'string' ? written : written.join('\n');

/** Of each side of a border, more than a number and the words that say what it is. */
const besideBorder = 80;

/** The rule of what begins in a title and goes on in its text: each alone has too few digits. */
export function findAcross({
  title = '',
  text = '',
}: {
  title?: unknown;
  text?: unknown;
}): IdentityRule | undefined {
  if (typeof title !== 'string' || typeof text !== 'string') return undefined;
  const head = title.slice(-besideBorder);
  return findIdentity(`${head}\n${text.slice(0, besideBorder)}`).find(
    ({ start, end, isRefused }) => isRefused && start < head.length && end > head.length + 1,
  )?.rule;
}

/** The text with a mask in place of each finding, or of those that `isHidden` picks. */
export function hideIdentity(
  text: string,
  isHidden: (finding: IdentityFinding) => boolean = () => true,
): string {
  const find = (searched: string) => findIdentity(searched).filter(isHidden);
  let hidden = text;
  // A mask changes what stands near the rest, so another look may find more. Each look finds less than the one before.
  for (let findings = find(hidden); findings.length > 0; findings = find(hidden)) {
    let next = '';
    let from = 0;
    for (const { start, end } of findings) {
      next += hidden.slice(from, start) + mask;
      from = end;
    }
    hidden = next + hidden.slice(from);
  }
  return hidden;
}
