/** What was started, mounted or made, undone in the opposite order, also when somebody presses Ctrl-C. */

type Step = () => Promise<void> | void;

const steps: Step[] = [];

export function atTheEnd(step: Step): void {
  steps.push(step);
}

export async function undoAll(): Promise<void> {
  for (let step = steps.pop(); step; step = steps.pop()) {
    try {
      await step();
    } catch (error) {
      // The others still have to go.
      console.error('could not be undone:', error);
    }
  }
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => void undoAll().finally(() => process.exit(code)));
