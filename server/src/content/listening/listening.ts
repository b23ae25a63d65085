import { readingLanguages, type ParsedRequestOf, type VentView, type listen } from '@unsaid/contract';
import { openVentId } from '../../kernel/public-ids.ts';
import type { Viewer } from '../../kernel/viewer.ts';
import { hasReactions } from '../vents/vent-access.ts';
import { loadVents, presentVents } from '../vents/vent-loader.ts';
import type { ContentContext } from '../context.ts';

/** Vents of others that wait for an answer, without those that the listener answered or does not want to see. */
export async function offerVents(
  ctx: ContentContext,
  viewer: Viewer,
  { reads = [...readingLanguages], count = 1, door }: ParsedRequestOf<typeof listen>['query'],
) {
  ctx.figures.countDraw(door);
  const drawn = await ctx.waiting.draw({ reads, count });
  // Both queues are loaded, also where one is enough: the time to answer must not tell whose vents wait.
  const loaded = await loadVents(ctx, ctx.db, [...drawn[0], ...drawn[1]]);
  const vents = loaded.vents.filter(
    ({ row }) => row.allowComments && !(row.need === 'hug' && hasReactions(row)),
  );
  const open = new Set(vents.map(({ row }) => row.id));
  ctx.waiting.remove([...drawn[0], ...drawn[1]].filter((id) => !open.has(id)));
  const fitting = (await presentVents(ctx, ctx.db, viewer, { ...loaded, vents })).filter(isForListener);
  const unheard = new Set(drawn[0]);
  const [first, second] = [true, false].map((isUnheard) =>
    fitting.filter(({ _id }) => unheard.has(openVentId(ctx.publicIds, _id)) === isUnheard),
  ) as [VentView[], VentView[]];
  return (first.length > 0 ? first : second).slice(0, count);
}

function isForListener({ isOwner, hiddenBy, comments }: VentView): boolean {
  return !isOwner && !hiddenBy && !comments.some(({ isMine }) => isMine);
}
