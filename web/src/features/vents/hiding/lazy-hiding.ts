import { lazyPart } from '../../../lib/lazy-part.tsx';

/** Loaded for those who hide something, or who open a report: it leaves a line. */
export const hiding = lazyPart(() => import('./hiding.ts'), { catalogue: 'choices' });

// Rendered inside a Suspense boundary.
export const LazyHiddenVent = hiding.as('HiddenVent');
export const LazyHiddenComment = hiding.as('HiddenComment');

export const LazyReportDialog = lazyPart(() => import('../../../ui/report-dialog.tsx'), {
  catalogue: ['moderation', 'choices'],
  also: [hiding],
}).as('ReportDialog');
export const commentMenu = lazyPart(() => import('./comment-menu.tsx'), {
  catalogue: ['choices', 'moderation'],
  also: [hiding],
});
export const LazyCommentMenu = commentMenu.as('CommentMenu');
