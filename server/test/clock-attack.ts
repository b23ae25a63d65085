import { placesOf, text, type Community, type Dump, type PublicVent, type Row } from './community.ts';

/**
 * Timing attack. A person who comments under their name and vents in the same visit can be found by time: the name that
 * was used nearest to a vent is its author's. Every attacker reads the site: the minute of every vent, and a name and a
 * day for every named comment. The strongest attacker also has the dump.
 */

/** When a name was used, as far as an attacker can tell. */
export interface Sighting {
  readonly name: string;
  /** `vent place`. */
  readonly place: string;
  readonly at: number;
}
export type Sightings = Record<string, Sighting[]>;
export interface Result {
  readonly guessed: number;
  readonly right: number;
}

export const minute = 60_000;
const timeOf = (vent: PublicVent) => Date.parse(vent.createdAt);
const dayOf = (at: number) => Math.floor(at / 86_400_000);
const namesUnder = (vent: PublicVent) => new Set(vent.comments.map(({ username }) => username));
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Every name on the site: where it is, when it was used as shown, and the day, which every attacker may know. */
export function namesOnSite({ site, truth }: Community) {
  return site.flatMap((vent) =>
    vent.comments.flatMap(({ username: name, createdAt }, n) => {
      const place = `${vent.id} ${n}`;
      const day = dayOf(truth.comments.get(place)?.at ?? 0);
      return name === null ? [] : [{ name, place, vent, day, shownAt: Date.parse(createdAt) }];
    }),
  );
}

/** The name used nearest to each vent. Names under the vent are left out: there its author has none. */
export function nearest(
  { site, truth }: Community,
  sightings: readonly Sighting[],
  withinMs: number,
): Result {
  let [guessed, right] = [0, 0];
  for (const vent of site) {
    const under = namesUnder(vent);
    let best: Sighting | undefined;
    const apart = ({ at }: Sighting) => Math.abs(at - timeOf(vent));
    for (const one of sightings)
      if (apart(one) <= withinMs && (!best || apart(one) < apart(best)) && !under.has(one.name)) best = one;
    if (!best) continue;
    guessed += 1;
    if (truth.authorOf.get(vent.id) === best.name) right += 1;
  }
  return { guessed, right };
}

/** The same for vents that are known to have one author: the name that fits all of them best. */
export function nearestOfGroups(
  { truth }: Community,
  sightings: readonly Sighting[],
  groups: readonly (readonly PublicVent[])[],
): Result {
  let [guessed, right] = [0, 0];
  for (const vents of groups) {
    const under = new Set(vents.flatMap((vent) => [...namesUnder(vent)]));
    const scores = new Map<string, number>();
    for (const vent of vents) {
      const near = new Map<string, number>();
      for (const { name, at } of sightings) {
        const apart = Math.abs(at - timeOf(vent)) / minute;
        if (apart < 15 && !under.has(name))
          near.set(name, Math.max(near.get(name) ?? 0, Math.exp(-apart / 3)));
      }
      for (const [name, weight] of near) scores.set(name, (scores.get(name) ?? 0) + weight);
    }
    const [best] = [...scores].toSorted(([, a], [, b]) => b - a);
    if (!best) continue;
    guessed += 1;
    if (truth.authorOf.get(vents[0]?.id ?? '') === best[0]) right += 1;
  }
  return { guessed, right };
}

/** Guesses any name that was used on the vent's day: the expected result of knowing days alone. */
export function byDay(town: Community): Result {
  const names = namesOnSite(town);
  let right = 0;
  for (const vent of town.site) {
    const under = namesUnder(vent);
    const ofTheDay = names.filter(({ name, day }) => day === dayOf(timeOf(vent)) && !under.has(name));
    const likely = new Set(ofTheDay.map(({ name }) => name));
    if (likely.has(town.truth.authorOf.get(vent.id) ?? '')) right += 1 / likely.size;
  }
  return { guessed: town.site.length, right };
}

/**
 * Days, and the vents that were answered, which no site can hide. People answer new vents, so a name was used some
 * vents after the vent it is under. The expected result of knowing both.
 */
export function byDayAndVent(town: Community): Result {
  const inOrder = town.site.toSorted((a, b) => timeOf(a) - timeOf(b));
  const indexOf = new Map(inOrder.map((vent, index) => [vent, index]));
  const results = [5, 10, 15].map((later) => {
    const sightings = namesOnSite(town).flatMap(({ name, place, vent, day }) => {
      const at = inOrder[(indexOf.get(vent) ?? 0) + later];
      return at && dayOf(timeOf(at)) === day ? [{ name, place, at: timeOf(at) }] : [];
    });
    return nearest(town, sightings, 30 * minute);
  });
  const mean = (of: (one: Result) => number) =>
    results.reduce((sum, one) => sum + of(one), 0) / results.length;
  return { guessed: mean(({ guessed }) => guessed), right: mean(({ right }) => right) };
}

// Attacks with the dump ---------------------------------------------------------------------------------

const isMoment = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d/u.test(value);
const columnsOf = (held: readonly Row[], fits: (value: unknown) => boolean) =>
  Object.keys(held[0] ?? {}).filter((column) => held.some((row) => fits(row[column])));

/** Comments in the dump that have a name on the site, in row order. */
export function namedRows(town: Community, copy: Dump) {
  const names = new Map(namesOnSite(town).map(({ name, place, day }) => [place, { name, day }]));
  const places = placesOf(copy);
  return (copy['content.comments'] ?? []).flatMap((row, index) => {
    const place = places[index] ?? '';
    const known = names.get(place);
    return known ? [{ row, place, index, ...known }] : [];
  });
}

/** From any column of comments that holds a time. */
export function byTimes(town: Community, copy: Dump): Sightings {
  const columns = columnsOf(copy['content.comments'] ?? [], isMoment);
  return Object.fromEntries(
    columns.map((column) => [
      `comments.${column}`,
      namedRows(town, copy).map(({ row, name, place }) => ({
        name,
        place,
        at: Date.parse(text(row[column])),
      })),
    ]),
  );
}

/** From rows of idempotency keys that have a time and lead to a comment by a number. */
export function byMarks(town: Community, copy: Dump): Sightings {
  const marks = copy['content.idempotency'] ?? [];
  const ventTimes = new Map(town.site.map((vent) => [vent.id, timeOf(vent)]));
  const found: Sightings = {};
  for (const moment of columnsOf(marks, isMoment)) {
    for (const number of columnsOf(marks, (value) => typeof value === 'number')) {
      const at = new Map<string, number>();
      for (const row of marks) {
        const time = Date.parse(text(row[moment]));
        // The row of a vent has the vent's minute; any other row belongs to a comment.
        const vented = ventTimes.get(text(row[number])) ?? 0;
        if (Math.floor(time / minute) !== Math.floor(vented / minute)) at.set(text(row[number]), time);
      }
      found[`idempotency.${number}, ${moment}`] = namedRows(town, copy).flatMap(({ row, name, place }) => {
        const time = at.get(text(row['id']));
        return time === undefined ? [] : [{ name, place, at: time }];
      });
    }
  }
  return found;
}

/**
 * Estimates when each row of a table was written, from its position alone. Rows belong to vents, whose minutes are
 * known, and a row is no older than its vent: so it is about as old as the youngest vent around it. Another estimate:
 * the nth of all rows was written at the time of the nth of all vents. That drifts, and the youngest vents around
 * correct it.
 */
function estimateTimes({ site }: Community, ventIds: readonly string[]): Record<string, number[]> {
  const times = site.map(timeOf).toSorted((a, b) => a - b);
  const ofVent = new Map(site.map((vent) => [vent.id, timeOf(vent)]));
  const around = <T>(values: readonly T[], n: number, before: number, after: number) =>
    values.slice(Math.max(0, n - before), n + after);
  const held = ventIds.map((id) => ofVent.get(id) ?? 0);
  const youngest = held.map((_, n) => Math.max(...around(held, n, 15, 5)));
  const along = held.map((_, n) => times[Math.floor(((n + 0.5) / held.length) * times.length)] ?? 0);
  const drift = youngest.map((time, n) => time - (along[n] ?? 0));
  return {
    'youngest of 8 rows': held.map((_, n) => Math.max(...around(held, n, 5, 3))),
    'as far along as vents': along,
    // Even the youngest vent with a comment is some minutes old.
    'the same, set right': along.map((time, n) => time + median(around(drift, n, 20, 20)) + 20 * minute),
  };
}

/**
 * From the order of rows in every table. A person who comments on a vent has probably reacted to it too: where a vent
 * has at most two rows, either may be theirs. Rows without a vent may be linked by an equal value.
 */
export function byOrder(town: Community, copy: Dump): Sightings {
  const found: Sightings = {};
  const named = namedRows(town, copy);
  type Named = (typeof named)[number];
  const addSightings = (
    label: string,
    ventIds: readonly string[],
    indexesOf: (one: Named) => readonly number[],
  ) => {
    for (const [way, times] of Object.entries(estimateTimes(town, ventIds)))
      found[`${label}, ${way}`] = named.flatMap((one) =>
        indexesOf(one)
          .map((index) => ({ name: one.name, place: one.place, at: times[index] ?? 0 }))
          .filter(({ at }) => dayOf(at) === one.day),
      );
  };
  for (const [name, held] of Object.entries(copy)) {
    if (!name.startsWith('content.') || held.length < 20 || name === 'content.vents') continue;
    const valuesOf = (column: string) => held.map((row) => text(row[column]));
    const indexesBy = (column: string) => Map.groupBy(held.keys(), (index) => text(held[index]?.[column]));
    if (name === 'content.comments') addSightings(name, valuesOf('vent_id'), ({ index }) => [index]);
    else if ('vent_id' in (held[0] ?? {})) {
      const rowsOf = indexesBy('vent_id');
      addSightings(name, valuesOf('vent_id'), ({ row }) => {
        const candidates = rowsOf.get(text(row['vent_id'])) ?? [];
        return candidates.length <= 2 ? candidates : [];
      });
    } else
      for (const column of Object.keys(held[0] ?? {})) {
        const rowsOf = indexesBy(column);
        if (rowsOf.size > held.length / 2)
          addSightings(`${name}.${column}`, valuesOf(column), ({ row: { vent_id: _ventId, ...row } }) =>
            Object.values(row).flatMap((value) => rowsOf.get(text(value)) ?? []),
          );
      }
  }
  return found;
}

/** From any numeric column of comments, taken as the order in which all of them were written. */
export function byNumbers(town: Community, copy: Dump): Sightings {
  const comments = copy['content.comments'] ?? [];
  const numbers = columnsOf(comments, (value) => typeof value === 'number').filter(
    (one) => one !== 'vent_id',
  );
  const found: Sightings = {};
  for (const column of numbers) {
    const number = (index: number) => Number(comments[index]?.[column]);
    const order = [...comments.keys()].toSorted((a, b) => number(a) - number(b));
    const rank = new Map(order.map((index, n) => [index, n]));
    const ways = estimateTimes(
      town,
      order.map((index) => text(comments[index]?.['vent_id'])),
    );
    for (const [way, times] of Object.entries(ways))
      found[`comments by ${column}, ${way}`] = namedRows(town, copy)
        .map(({ name, place, index, day }) => ({ name, place, day, at: times[rank.get(index) ?? 0] ?? 0 }))
        .filter(({ at, day }) => dayOf(at) === day);
  }
  return found;
}

/** Vents that share an opaque value in any column. */
export function groupsOfVents({ site }: Community, copy: Dump): PublicVent[][] {
  const shown = new Map(site.map((vent) => [vent.id, vent]));
  const vents = copy['content.vents'] ?? [];
  const opaque = columnsOf(vents, (value) => typeof value === 'string' && value.startsWith('\\x'));
  return opaque.flatMap((column) =>
    [...Map.groupBy(vents, (row) => text(row[column])).values()]
      .map((held) => held.flatMap((row) => shown.get(text(row['id'])) ?? []))
      .filter((held) => held.length > 1),
  );
}
