import { lazyPart } from '../lib/lazy-part.tsx';

/** The dialog with its messages, and those of the line that takes the place of what is reported. */
export const reporting = lazyPart(() => import('./report-dialog.tsx'), {
  catalogue: ['moderation', 'choices'],
});

// Rendered inside a Suspense boundary.
export const LazyReportDialog = reporting.as('ReportDialog');
/** The report dialog has it too: a chunk of its own would be one more request. */
export const LazyHiddenLine = reporting.as('HiddenLine');
