import { lazyNamed } from '../lib/lazy-named.tsx';
import { withMessages } from '../locales/i18n.ts';

/** The dialog with its messages, and those of the line that takes the place of what is reported. */
export const loadReportDialog = () => withMessages(import('./report-dialog.tsx'), 'moderation', 'choices');

// Rendered inside a Suspense boundary.
export const LazyReportDialog = lazyNamed(loadReportDialog, 'ReportDialog');
/** The report dialog has it too: a chunk of its own would be one more request. */
export const LazyHiddenLine = lazyNamed(loadReportDialog, 'HiddenLine');
