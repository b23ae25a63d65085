import { cleanLine, countGraphemes } from '@unsaid/contract';
import { t } from '@lingui/core/macro';

export interface ChipRules {
  readonly items: number;
  readonly length: number;
  /** Normalises one part. */
  readonly clean?: (part: string) => string;
  /** Two chips with the same key are duplicates. */
  readonly fold?: (chip: string) => string;
  readonly isAcceptable?: (chip: string) => boolean;
}

export type ChipProblem = 'too-many' | 'too-long' | 'unacceptable';

export function chipProblemText(problem: ChipProblem, rules: ChipRules): string {
  if (problem === 'too-long') return t`Please keep each one within ${rules.length} characters.`;
  if (problem === 'too-many') return t`You can add up to ${rules.items}.`;
  return t`Please use only letters, digits, spaces, _ and -.`;
}

/**
 * Splits the text at commas and adds the new chips. Duplicates are dropped, by default case-insensitively.
 */
export function addChips(
  chips: readonly string[],
  typed: string,
  {
    items,
    length,
    clean = cleanLine,
    fold = (chip) => chip.toLowerCase(),
    isAcceptable = () => true,
  }: ChipRules,
): { readonly chips: readonly string[]; readonly left: string; readonly problem: ChipProblem | undefined } {
  const next = [...chips];
  const left: string[] = [];
  let problem: ChipProblem | undefined;
  for (const part of typed.split(',')) {
    const chip = clean(part);
    if (chip === '' || next.some((one) => fold(one) === fold(chip))) continue;
    if (countGraphemes(chip) > length) problem = 'too-long';
    else if (!isAcceptable(chip)) problem = 'unacceptable';
    else if (next.length >= items) problem = 'too-many';
    else {
      next.push(chip);
      continue;
    }
    // Rejected text stays in the input, to be corrected.
    left.push(chip);
  }
  return { chips: next, left: left.join(', '), problem };
}
