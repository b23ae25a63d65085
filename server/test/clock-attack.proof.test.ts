/**
 * @module-tag full
 * A day later: dump-attack.proof.test.ts finds times, row order and transactions that lead to an author on every
 * change; this measures by how much.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp } from './app.ts';
import { openPool } from './db.ts';
import {
  byDay,
  byDayAndVent,
  byMarks,
  byNumbers,
  byOrder,
  byTimes,
  groupsOfVents,
  minute,
  namedRows,
  namesOnSite,
  nearest,
  nearestOfGroups,
  type Result,
  type Sightings,
} from './clock-attack.ts';
import { buildCommunity, placesOf, smallTown, type Community, type Size } from './community.ts';
import { fiveSigma } from './statistics.ts';

/**
 * The day of a named comment and the vent it is under reveal something about authors. No other data may reveal much
 * more.
 */

let town: Community;
/** The same town for longer: row order reveals less than a timestamp, so its effect needs more vents. */
let olderTown: Community;

async function build(size: Size): Promise<Community> {
  // One connection, so that rows lie in the order of writing: several connections each fill a page of their own, at
  // random.
  const app = await startTestApp({ limitsScale: 10_000, logLevel: 'silent', databasePoolSize: 1 });
  const rows = openPool(app.config.databaseUrl, 1);
  const built = await buildCommunity(app, rows, size);
  await rows.end();
  await app.close();
  return built;
}

beforeAll(async () => {
  town = await build(smallTown);
  olderTown = await build({ ...smallTown, vents: 1060, days: 8 });
});

const shareOf = ({ guessed, right }: Result) => right / Math.max(1, guessed);
const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/** Prints each attack, and returns those that name more authors than `times` as much as the site itself reveals. */
function findTellingAttacks(
  of: Community,
  who: string,
  results: Record<string, Result>,
  times: number,
): string[] {
  const known = times * shareOf(byDayAndVent(of));
  return Object.entries(results).flatMap(([name, result]) => {
    const { guessed, right } = result;
    if (guessed === 0) return [];
    const most = known + fiveSigma(known, guessed);
    const share = shareOf(result);
    console.log(`${who}, ${name}: ${right} of ${guessed}, ${percent(share)} (may: ${percent(most)})`);
    return share > most ? [name] : [];
  });
}

const guessNearest = (of: Community, found: Sightings, minutes: number) =>
  Object.fromEntries(
    Object.entries(found).map(([name, sightings]) => [name, nearest(of, sightings, minutes * minute)]),
  );

describe('an attacker with the dump, who also reads names on the site,', () => {
  test('finds a community in which the day of a name reveals something, but little', () => {
    for (const one of [town, olderTown]) {
      const [days, both] = [byDay(one), byDayAndVent(one)].map(shareOf);
      console.log(
        `${one.site.length} vents: by days ${percent(days ?? 0)}, and vents answered ${percent(both ?? 0)}`,
      );
      expect(namesOnSite(one).length).toBeGreaterThan(100);
      expect(namedRows(one, one.night)).toHaveLength(namesOnSite(one).length);
      expect(both).toBeGreaterThan(0.01);
      expect(both).toBeLessThan(0.1);
    }
  });

  test('names no more authors from timestamps on comments (R34)', () => {
    expect(
      findTellingAttacks(town, 'attacker', guessNearest(town, byTimes(town, town.night), 3), 1.5),
    ).toEqual([]);
  });

  test('names no more authors from idempotency keys', () => {
    expect(
      findTellingAttacks(town, 'attacker', guessNearest(town, byMarks(town, town.night), 3), 1.5),
    ).toEqual([]);
  });

  test('names no more authors from numeric columns of comments', () => {
    const found = byNumbers(olderTown, olderTown.night);
    expect(findTellingAttacks(olderTown, 'attacker', guessNearest(olderTown, found, 15), 1.5)).toEqual([]);
  });

  test.each(['comments', 'reactions', 'idempotency'])(
    'names no more authors from the row order of %s after a night (R34)',
    (name) => {
      const ofTable = (found: Sightings) =>
        Object.fromEntries(Object.entries(found).filter(([label]) => label.startsWith(`content.${name}`)));
      const [evening, night] = [olderTown.evening, olderTown.night].map((copy) =>
        guessNearest(olderTown, ofTable(byOrder(olderTown, copy)), 15),
      );
      // Rows of the current day lie in the order of writing until the night: printed, not asserted.
      findTellingAttacks(olderTown, 'attacker in the evening', evening ?? {}, 1.5);
      expect(findTellingAttacks(olderTown, 'attacker', night ?? {}, 1.5)).toEqual([]);
    },
  );

  test('names no more authors from the row order of any other table', () => {
    const found = Object.entries(byOrder(olderTown, olderTown.night)).filter(
      ([label]) => !/^content\.(?:comments|reactions|idempotency)/u.test(label),
    );
    expect(
      findTellingAttacks(olderTown, 'attacker', guessNearest(olderTown, Object.fromEntries(found), 15), 1.5),
    ).toEqual([]);
  });

  test('names no more authors of vents that share a value', () => {
    const groups = groupsOfVents(town, town.night);
    console.log(`attacker: ${groups.length} groups of vents share a value`);
    const found = [byTimes, byMarks, byNumbers, byOrder].map((attack) => attack(town, town.night));
    const results = found.flatMap((one) =>
      Object.entries(one).map(([name, sightings]) => [name, nearestOfGroups(town, sightings, groups)]),
    );
    const named = Object.fromEntries(results) as Record<string, Result>;
    expect(findTellingAttacks(town, 'attacker, by groups', named, 1.5)).toEqual([]);
  });

  test('names most people who commented in the same visit when a timestamp is planted on comments', () => {
    const places = placesOf(town.night);
    const comments = (town.night['content.comments'] ?? []).map((row, n) => ({
      ...row,
      planted_at: new Date(town.truth.comments.get(places[n] ?? '')?.at ?? 0).toISOString(),
    }));
    const results = guessNearest(town, byTimes(town, { ...town.night, 'content.comments': comments }), 3);
    const planted = results['comments.planted_at'] ?? { guessed: 0, right: 0 };
    expect(findTellingAttacks(town, 'attacker', { planted }, 1.5)).toEqual(['planted']);
    // Without the comments on vents whose time is over.
    expect(planted.right).toBeGreaterThan(180);
  });
});

describe('a reader of the site', () => {
  test('names no more authors from the times that are shown', () => {
    const shown = namesOnSite(town).map(({ name, place, shownAt }) => ({ name, place, at: shownAt }));
    expect(findTellingAttacks(town, 'reader', guessNearest(town, { 'times shown': shown }, 3), 1)).toEqual(
      [],
    );
  });
});
