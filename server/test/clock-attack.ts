import { placesOf, text, type Community, type Dump, type PublicVent, type Row } from './community.ts';

/**
 * Whoever answers others under their name and vents in the same visit is given away by the clock: the name that was
 * used nearest to a vent is its author's. Attackers read the site, so they have the minute of every vent, and a name
 * and a day for every named comment; a thief has the dump as well.
 */

/** When a name was used, as far as somebody can tell. */
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

/** Every name on the site: where it stands, when it was used as shown, and the day, which every attacker may know. */
export function namesOnSite({ site, truth }: Community) {
  return site.flatMap((vent) =>
    vent.comments.flatMap(({ username: name, createdAt }, n) => {
      const place = `${vent.id} ${n}`;
      const day = dayOf(truth.comments.get(place)?.at ?? 0);
      return name === null ? [] : [{ name, place, vent, day, shownAt: Date.parse(createdAt) }];
    }),
  );
}

/** The name that was used nearest to each vent, but for those under it: there its author has none. */
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

/** Who knows days alone names anybody who was named on a vent's day: what that gives on average. */
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
 * Days, and which vent was answered, which no site can hide: people answer what is new, so a name was used some vents
 * after the vent it stands under. What that gives on average.
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

// What a dump adds --------------------------------------------------------------------------------------

const isMoment = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d/u.test(value);
const columnsOf = (held: readonly Row[], fits: (value: unknown) => boolean) =>
  Object.keys(held[0] ?? {}).filter((column) => held.some((row) => fits(row[column])));

/** Comments of the dump that bear a name on the site, as they lie. */
export function namedRows(town: Community, copy: Dump) {
  const names = new Map(namesOnSite(town).map(({ name, place, day }) => [place, { name, day }]));
  const places = placesOf(copy);
  return (copy['content.comments'] ?? []).flatMap((row, index) => {
    const place = places[index] ?? '';
    const known = names.get(place);
    return known ? [{ row, place, index, ...known }] : [];
  });
}

/** By any column of comments that holds a time. */
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

/** By marks against sending twice that lead to a comment by a number, and have a time. */
export function byMarks(town: Community, copy: Dump): Sightings {
  const marks = copy['content.idempotency'] ?? [];
  const ventTimes = new Map(town.site.map((vent) => [vent.id, timeOf(vent)]));
  const found: Sightings = {};
  for (const moment of columnsOf(marks, isMoment)) {
    for (const number of columnsOf(marks, (value) => typeof value === 'number')) {
      const at = new Map<string, number>();
      for (const row of marks) {
        const time = Date.parse(text(row[moment]));
        // A vent's mark is of the vent's minute; any other is a comment's.
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
 * When each row of a table was written, from its place alone. Rows belong to vents, whose minutes are known, and a row
 * is no older than its vent: so it is about as old as the youngest vent around it. Or: the nth of all rows lies as far
 * along as the nth of all vents, which drifts, and the youngest vents around set it right.
 */
function timesAlong({ site }: Community, ventIds: readonly string[]): Record<string, number[]> {
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
    // Even the youngest vent that somebody answers is some minutes old.
    'the same, set right': along.map((time, n) => time + median(around(drift, n, 20, 20)) + 20 * minute),
  };
}

/**
 * By the order of rows in every table. Whoever says something under a vent has probably reacted to it too: where a
 * vent has no more than two rows, either may be theirs. Rows that name no vent may be linked by an equal value.
 */
export function byOrder(town: Community, copy: Dump): Sightings {
  const found: Sightings = {};
  const named = namedRows(town, copy);
  type Named = (typeof named)[number];
  const lay = (label: string, ventIds: readonly string[], indexesOf: (one: Named) => readonly number[]) => {
    for (const [way, times] of Object.entries(timesAlong(town, ventIds)))
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
    if (name === 'content.comments') lay(name, valuesOf('vent_id'), ({ index }) => [index]);
    else if ('vent_id' in (held[0] ?? {})) {
      const rowsOf = indexesBy('vent_id');
      lay(name, valuesOf('vent_id'), ({ row }) => {
        const candidates = rowsOf.get(text(row['vent_id'])) ?? [];
        return candidates.length <= 2 ? candidates : [];
      });
    } else
      for (const column of Object.keys(held[0] ?? {})) {
        const rowsOf = indexesBy(column);
        if (rowsOf.size > held.length / 2)
          lay(`${name}.${column}`, valuesOf(column), ({ row: { vent_id: _ventId, ...row } }) =>
            Object.values(row).flatMap((value) => rowsOf.get(text(value)) ?? []),
          );
      }
  }
  return found;
}

/** By any number of comments, taken for the order in which all of them were written. */
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
    const ways = timesAlong(
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

/** Vents that have an opaque value of any column in common. */
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
