import type { Emotion, VentView } from '@unsaid/contract';

interface Listener {
  /** Ids of vents that were passed or answered in this tab. */
  readonly done: ReadonlySet<string>;
  readonly feelings: readonly Emotion[];
  readonly wantsHeavy: boolean;
  /** How heavy a vent is, read in this browser alone. */
  readonly levelOf: (vent: VentView) => number;
}

/** From here on a vent is heavy. */
export const heavyFrom = 2;

/**
 * The vent to show next, of those that the server drew. Heavy ones come last, or first for a listener who asked for them;
 * then feelings that the listener knows; then the order of the draw.
 */
export function nextVent(
  drawn: readonly VentView[],
  { done, feelings, wantsHeavy, levelOf }: Listener,
): VentView | undefined {
  const weight = (vent: VentView) => {
    const level = levelOf(vent);
    const heavy = level < heavyFrom ? 0 : wantsHeavy ? -level : level;
    return heavy * 2 - (feelings.includes(vent.emotion) ? 1 : 0);
  };
  return drawn
    .filter(({ _id }) => !done.has(_id))
    .toSorted((a, b) => weight(a) - weight(b))
    .at(0);
}
