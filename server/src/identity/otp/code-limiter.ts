import type { PowDifficulty } from '@unsaid/contract';
import { codeBudgets, type CodeBudget, type CodeBudgetName } from './code-budgets.ts';
import type { Cooldown, Limiter, Rejection, Window } from '../../platform/limiter.ts';

/** The budgets of codes as sliding windows, and the proof of work that exceeding some of them costs. */

interface CodeBudgetRequest {
  readonly budget: CodeBudgetName;
  readonly subject: string;
  /** Checks whether this budget requires proof of work; consumes nothing from it and is not rejected by it. */
  readonly peek?: boolean;
  /** May use the part that is reserved for known devices. */
  readonly useReserve?: boolean;
  /** Rejects only callers who owe no proof of work: otherwise a request that consumes nothing would reveal others' usage. */
  readonly isToldLast?: boolean;
}

interface ConsumeOptions {
  readonly cooldown?: Cooldown;
  /** The proof of work in the request. `any` where none is ever required: what would cost work is free, and counted. */
  readonly powGiven?: PowDifficulty | 'any' | null;
  /** Proof of work required for a reason other than the budgets. */
  readonly powRequired?: { readonly reason: string; readonly work: PowDifficulty } | null;
}

export interface ConsumeResult {
  readonly rejection: Rejection | null;
  /** Set when nothing was consumed because the request needs proof of work. */
  readonly powRequired: { readonly size: PowDifficulty; readonly reasons: readonly string[] } | null;
  /** The cooldown's consecutive uses, this one included. */
  readonly consecutive: number;
}

interface CodeWindow extends Window {
  readonly work: PowDifficulty | undefined;
}

export type CodeLimiter = ReturnType<typeof createCodeLimiter>;

export function createCodeLimiter(
  limiter: Limiter,
  budgets: Readonly<Record<CodeBudgetName, readonly CodeBudget[]>> = codeBudgets,
) {
  const windowsOf = ({ budget, peek }: CodeBudgetRequest) =>
    peek ? budgets[budget].filter(({ work }) => work) : budgets[budget];
  return {
    /** Consumes one from each budget or from none. Without Redis it throws: codes fail closed. */
    async consume(
      requests: readonly CodeBudgetRequest[],
      { cooldown, powGiven = null, powRequired = null }: ConsumeOptions = {},
    ): Promise<ConsumeResult> {
      const given = powGiven === 'any' ? powRank.harder : rankOf(powGiven);
      // Rejections are found before proof of work is asked for, so that no caller works in vain.
      const { rejection, isRecorded, full, consecutive } = await limiter.consumeWindows(
        requests.flatMap((request) => windowsOf(request).map((one) => toWindow(request, one, given))),
        { dryRun: rankOf(powRequired?.work) > given, ...(cooldown ? { cooldown } : {}) },
      );
      const required = [
        ...full.map(({ budget, work }) => ({ reason: budget, work })),
        ...(powRequired ? [powRequired] : []),
      ];
      return {
        rejection,
        powRequired:
          isRecorded || rejection
            ? null
            : {
                size: required.some(({ work }) => work === 'harder') ? 'harder' : 'usual',
                reasons: required.map(({ reason }) => reason),
              },
        consecutive,
      };
    },

    /** How much of the budget's longest window is used, 0 to 1. */
    usageRatio(request: CodeBudgetRequest): Promise<number> {
      const longest = windowsOf(request).reduce((a, b) => (b.windowSeconds > a.windowSeconds ? b : a));
      return limiter.usageRatio(toWindow({ ...request, useReserve: true }, longest, 0));
    },
  };
}

const powRank = { usual: 1, harder: 2 } as const;

function rankOf(work: PowDifficulty | null | undefined): number {
  return work ? powRank[work] : 0;
}

/** Over a limit that costs work, a request with enough work passes and is not recorded. */
function toWindow(
  { budget, subject, peek = false, useReserve = false, isToldLast = false }: CodeBudgetRequest,
  { limit, reserved = 0, windowSeconds, stepSeconds, work }: CodeBudget,
  given: number,
): CodeWindow {
  const whenFull = work ? (rankOf(work) > given ? 'report' : 'pass') : isToldLast ? 'rejectLast' : 'reject';
  return {
    budget,
    // A budget may have two windows of the same length: the free part, and all.
    subject: work ? `free:${subject}` : subject,
    limit: limit - (useReserve ? 0 : reserved),
    windowSeconds,
    stepSeconds,
    peek,
    whenFull,
    work,
  };
}
