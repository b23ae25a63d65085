import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestApp } from './app.ts';
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
import { threeSigma } from './statistics.ts';

/** The day of a name and the vent it stands under tell something. Nothing else may tell much more. */

let town: Community;
/** The same town for longer: the order of rows tells less than a time, so it takes more vents to see it. */
let olderTown: Community;

async function build(size: Size): Promise<Community> {
  // One connection, so that rows lie as they were written: several fill a page each, and which is chance.
  const app = await startTestApp({ limitsScale: 10_000, logLevel: 'silent', databasePoolSize: 1 });
  const rows = new pg.Pool({ connectionString: app.config.databaseUrl, max: 1 });
  const built = await buildCommunity(app, rows, size);
  await rows.end();
  await app.close();
  return built;
}

beforeAll(async () => {
  town = await build(smallTown);
  olderTown = await build({ ...smallTown, vents: 1060, days: 8 });
}, 600_000);

const shareOf = ({ guessed, right }: Result) => right / Math.max(1, guessed);
const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/** Prints each attack, and gives those that name more authors than so many times what the site tells. */
function judge(of: Community, who: string, results: Record<string, Result>, times: number): string[] {
  const known = times * shareOf(byDayAndVent(of));
  return Object.entries(results).flatMap(([name, result]) => {
    const { guessed, right } = result;
    if (guessed === 0) return [];
    const most = known + threeSigma(known, guessed);
    const share = shareOf(result);
    console.log(`${who}, ${name}: ${right} of ${guessed}, ${percent(share)} (may: ${percent(most)})`);
    return share > most ? [name] : [];
  });
}

const guess = (of: Community, found: Sightings, minutes: number) =>
  Object.fromEntries(
    Object.entries(found).map(([name, sightings]) => [name, nearest(of, sightings, minutes * minute)]),
  );

describe('a thief of the dump, who reads names on the site,', () => {
  test('meets a community in which the day of a name tells something, but little', () => {
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

  test.fails('names no more authors by a time on comments', () => {
    expect(judge(town, 'thief', guess(town, byTimes(town, town.night), 3), 1.5)).toEqual([]);
  });

  test.fails('names no more authors by marks against sending twice', () => {
    expect(judge(town, 'thief', guess(town, byMarks(town, town.night), 3), 1.5)).toEqual([]);
  });

  test.fails('names no more authors by numbers of comments', () => {
    const found = byNumbers(olderTown, olderTown.night);
    expect(judge(olderTown, 'thief', guess(olderTown, found, 15), 1.5)).toEqual([]);
  });

  test.fails.each(['comments', 'reactions', 'idempotency'])(
    'names no more authors by the order in which %s lie after a night',
    (name) => {
      const ofTable = (found: Sightings) =>
        Object.fromEntries(Object.entries(found).filter(([label]) => label.startsWith(`content.${name}`)));
      const [evening, night] = [olderTown.evening, olderTown.night].map((copy) =>
        guess(olderTown, ofTable(byOrder(olderTown, copy)), 15),
      );
      // Rows of the day itself lie as they were written until the night: printed, and not judged.
      judge(olderTown, 'thief in the evening', evening ?? {}, 1.5);
      expect(judge(olderTown, 'thief', night ?? {}, 1.5)).toEqual([]);
    },
    120_000,
  );

  test('names no more authors by the order in which any other rows lie', () => {
    const found = Object.entries(byOrder(olderTown, olderTown.night)).filter(
      ([label]) => !/^content\.(?:comments|reactions|idempotency)/u.test(label),
    );
    expect(judge(olderTown, 'thief', guess(olderTown, Object.fromEntries(found), 15), 1.5)).toEqual([]);
  }, 120_000);

  test.fails('names no more authors of vents that share a value', () => {
    const groups = groupsOfVents(town, town.night);
    console.log(`thief: ${groups.length} groups of vents share a value`);
    const found = [byTimes, byMarks, byNumbers, byOrder].map((attack) => attack(town, town.night));
    const results = found.flatMap((one) =>
      Object.entries(one).map(([name, sightings]) => [name, nearestOfGroups(town, sightings, groups)]),
    );
    const named = Object.fromEntries(results) as Record<string, Result>;
    expect(judge(town, 'thief, by groups', named, 1.5)).toEqual([]);
  }, 120_000);

  test('names most who spoke in the same visit by a time that is planted on comments', () => {
    const places = placesOf(town.night);
    const comments = (town.night['content.comments'] ?? []).map((row, n) => ({
      ...row,
      planted_at: new Date(town.truth.comments.get(places[n] ?? '')?.at ?? 0).toISOString(),
    }));
    const results = guess(town, byTimes(town, { ...town.night, 'content.comments': comments }), 3);
    const planted = results['comments.planted_at'] ?? { guessed: 0, right: 0 };
    expect(judge(town, 'thief', { planted }, 1.5)).toEqual(['planted']);
    expect(planted.right).toBeGreaterThan(200);
  });
});

describe('a reader of the site', () => {
  test.fails('names no more authors by the times that are shown', () => {
    const shown = namesOnSite(town).map(({ name, place, shownAt }) => ({ name, place, at: shownAt }));
    expect(judge(town, 'reader', guess(town, { 'times shown': shown }, 3), 1)).toEqual([]);
  });
});
