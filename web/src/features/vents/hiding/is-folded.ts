import type { CommentView, VentView } from '@unsaid/contract';
import { useIsFolded } from '../../../lib/folded-items.ts';

/** Hidden, and its words were not asked for. */
export function hasNoWords(item: VentView | CommentView): boolean {
  return item.hiddenBy !== undefined && ('title' in item ? item.title : item.text) === '';
}

/** Hidden, muted or reported: a line stands in its place. */
export function useIsAway(item: VentView | CommentView): boolean {
  const isReported = useIsFolded(item._id);
  return isReported || hasNoWords(item);
}
