import { lazyNamed } from '../lib/lazy-named.ts';
import { loadMessages } from '../locales/i18n.ts';

const load = () => import('./report-dialog.tsx');

/** The dialog with its messages, and those of the line that takes the place of what is reported. */
export async function loadReportDialog(): ReturnType<typeof load> {
  const [module] = await Promise.all([load(), loadMessages('moderation'), loadMessages('choices')]);
  return module;
}

// Rendered inside a Suspense boundary.
export const LazyReportDialog = lazyNamed(loadReportDialog, 'ReportDialog');
/** The report dialog has it too: a chunk of its own would be one more request. */
export const LazyHiddenLine = lazyNamed(loadReportDialog, 'HiddenLine');
