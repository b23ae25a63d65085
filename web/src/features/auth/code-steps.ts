/** What follows the number, in one chunk. */
export { CodeStep } from './code-step.tsx';
export { NoAccountStep } from './no-account-step.tsx';
