import { lazyNamed } from '../../../lib/lazy-named.tsx';
import { withMessages } from '../../../locales/i18n.ts';
import { loadReportDialog } from '../../../ui/lazy-reporting.ts';

/** Loaded for those who hide something, or who open a report: it leaves a line. */
export const loadHiding = () => withMessages(import('./hiding.ts'), 'choices');

// Rendered inside a Suspense boundary.
export const LazyHiddenVent = lazyNamed(loadHiding, 'HiddenVent');
export const LazyHiddenComment = lazyNamed(loadHiding, 'HiddenComment');

async function loadWithHiding<M>(load: () => Promise<M>): Promise<M> {
  const [module] = await Promise.all([load(), loadReportDialog(), loadHiding()]);
  return module;
}

export const LazyReportDialog = lazyNamed(() => loadWithHiding(loadReportDialog), 'ReportDialog');
export const LazyCommentMenu = lazyNamed(
  () => loadWithHiding(() => import('./comment-menu.tsx')),
  'CommentMenu',
);
