/** Cleanup steps, run in reverse order, on Ctrl-C too. */

type Step = () => Promise<void> | void;

const steps: Step[] = [];

export function onCleanup(step: Step): void {
  steps.push(step);
}

export async function runCleanup(): Promise<void> {
  for (let step = steps.pop(); step; step = steps.pop()) {
    try {
      await step();
    } catch (error) {
      // The other steps still run.
      console.error('cleanup failed:', error);
    }
  }
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => void runCleanup().finally(() => process.exit(code)));
