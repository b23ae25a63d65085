import { lazyPart } from '../../lib/lazy-part.tsx';

/** Loaded while the number is typed, and before a code is sent to it. */
export const codeSteps = lazyPart(() => import('./code-steps.ts'));

// Rendered inside a Suspense boundary.
export const LazyCodeStep = codeSteps.as('CodeStep');
export const LazyNoAccountStep = codeSteps.as('NoAccountStep');
