import { cleanLine, countGraphemes } from '@unsaid/contract';

interface ChipLimits {
  readonly items: number;
  readonly length: number;
}

export type ChipProblem = 'too-many' | 'too-long';

/** Takes what was typed apart at its commas and adds what is new; repeats (ignoring case) are folded. */
export function addChips(
  chips: readonly string[],
  typed: string,
  limits: ChipLimits,
): { readonly chips: readonly string[]; readonly left: string; readonly problem: ChipProblem | undefined } {
  const next = [...chips];
  const left: string[] = [];
  let problem: ChipProblem | undefined;
  for (const part of typed.split(',')) {
    const chip = cleanLine(part);
    if (chip === '' || next.some((one) => one.toLowerCase() === chip.toLowerCase())) continue;
    if (countGraphemes(chip) > limits.length) problem = 'too-long';
    else if (next.length >= limits.items) problem = 'too-many';
    else {
      next.push(chip);
      continue;
    }
    // Nothing that was typed is thrown away: it stays in the box to be mended.
    left.push(chip);
  }
  return { chips: next, left: left.join(', '), problem };
}
