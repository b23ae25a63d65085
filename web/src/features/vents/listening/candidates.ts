import type { Emotion, VentView } from '@unsaid/contract';

interface Listener {
  /** Ids of vents that were passed or answered in this tab. */
  readonly done: ReadonlySet<string>;
  readonly feelings: readonly Emotion[];
  readonly wantsHeavy: boolean;
  /** In the first two days of an account, vents that lists fold are not offered. */
  readonly isNew: boolean;
  /** How heavy a vent is, read in this browser alone. */
  readonly levelOf: (vent: VentView) => number;
}

/** From here on a vent is heavy. */
export const heavyFrom = 2;

/**
 * The vent to show next, of those that the server drew, which asks for no level. First one whose writer may be about to
 * act. Other heavy ones come last, or first for a listener who asked for them; then feelings that the listener knows; then
 * the order of the draw.
 */
export function nextVent(
  drawn: readonly VentView[],
  { done, feelings, wantsHeavy, isNew, levelOf }: Listener,
): VentView | undefined {
  const weight = (vent: VentView) => {
    if (vent.heavy) return -Infinity;
    const level = levelOf(vent);
    const heavy = level < heavyFrom ? 0 : wantsHeavy ? -level : level;
    return heavy * 2 - (feelings.includes(vent.emotion) ? 1 : 0);
  };
  return drawn
    .filter(({ _id, heavy }) => !done.has(_id) && !(isNew && heavy))
    .toSorted((a, b) => Math.sign(weight(a) - weight(b)) || 0)
    .at(0);
}
