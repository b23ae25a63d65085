import { lazyNamed } from '../../../lib/lazy-named.ts';
import { loadMessages } from '../../../locales/i18n.ts';
import { loadReportDialog } from '../../../ui/lazy-reporting.ts';

const load = () => import('./hiding.ts');

/** Loaded for those who hide something, or who open a report: it leaves a line. */
export async function loadHiding(): ReturnType<typeof load> {
  const [module] = await Promise.all([load(), loadMessages('choices')]);
  return module;
}

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
