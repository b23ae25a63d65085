/**
 * @module-tag full
 * A day later: on every change database.test.ts finds an account, an equal value or a time in any table, moderation's
 * among them, and notice-points.proof.test.ts what a sanction tells. A link by order, size or transaction is found at
 * night.
 */
import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { usePool, useTestApp } from './app.ts';
import {
  attack,
  attackGroups,
  copyTables,
  sharedValues,
  type Attack,
  type Copy,
  type Finding,
  type Question,
  type SeenRow,
  type Side,
} from './column-attack.ts';
import type { NoticeTerms } from '../src/moderation/case-box.ts';
import { readAllTerms } from './cases-app.ts';
import { buildModeratedTown, commentKey, ventKey, type ModeratedTown } from './moderated-town.ts';
import { seeded, type Seeded } from './statistics.ts';
import { fullTier } from './runs.ts';

/**
 * The attacker has the files of the database and none of the keys, and knows this code. They are given for free which
 * case is about which item, because a decision moves the row of its item and readers see it go; and which decided items
 * have one author, as if writing style had revealed it. The question: whose account wrote a decided item that shows no
 * name.
 */

const size = { people: 90, days: 9 };

const app = useTestApp({ limitsScale: 100_000, logLevel: 'silent' });
const rows = usePool(app);
let town: ModeratedTown;
/** After the last visit of a day, before the jobs of the night; and after them. */
let evening: Copy;
let night: Copy;
let terms: ReadonlyMap<string, NoticeTerms>;

beforeAll(async () => {
  town = await buildModeratedTown(app, rows, size);
  evening = await copyTables(rows);
  await town.passNight();
  night = await copyTables(rows);
  terms = await readAllTerms(app);
});

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
const table = (copy: Copy, name: string): SeenRow[] => copy[name] ?? [];
const groupBy = (held: readonly SeenRow[], key: (row: SeenRow['row']) => string | undefined) => {
  const grouped = Map.groupBy(held, ({ row }) => key(row) ?? '');
  grouped.delete('');
  return grouped;
};

// What the attacker looks at ----------------------------------------------------------------------------

/** A decided case, with who wrote its item. */
interface Decided {
  readonly id: string;
  readonly kind: string;
  readonly item: string;
  readonly author: string;
  readonly decidedAt: number;
  readonly sanction: string;
  readonly days: number;
}

/** The encrypted part of the notice of a case: the test has the key. */
const termsOf = (caseId: unknown) => terms.get(text(caseId));

function decidedIn(copy: Copy): Decided[] {
  const noticeOf = groupBy(table(copy, 'moderation.notices'), (row) => text(row['case_id']));
  return table(copy, 'moderation.cases').flatMap(({ row }) => {
    if (row['outcome'] !== 'hide' && row['outcome'] !== 'remove') return [];
    const id = text(row['id']);
    const { kind, key } = town.truth.itemOf(text(row['subject_key']));
    const notice = noticeOf.has(id) ? termsOf(id) : undefined;
    const decidedAt = Date.parse(text(row['decided_at']));
    return {
      id,
      kind,
      item: key,
      author: kind === 'profile' ? key.slice('profile '.length) : (town.truth.authorOf.get(key) ?? ''),
      decidedAt,
      sanction: notice?.sanction ?? 'none',
      days: notice?.endsAt ? Math.round((notice.endsAt - decidedAt) / 86_400_000) : 0,
    };
  });
}

/** Decided items that show no name: vents, and comments as Anonymous or as the author of the vent. */
function namelessIn(copy: Copy): Decided[] {
  const named = new Set(
    table(copy, 'content.comments')
      .filter(({ row }) => row['voice'] === 'named')
      .map(({ row }) => commentKey(row['vent_id'], row['no'])),
  );
  return decidedIn(copy).filter(({ kind, item }) => kind !== 'profile' && !named.has(item));
}

/** All rows that belong to the case of an item: the case, and the item itself. */
function targetSide(copy: Copy, decided: readonly Decided[]): Side {
  const caseOf = new Map(decided.map(({ item, id }) => [item, id]));
  const ofVents = (name: string, column: string) =>
    groupBy(table(copy, name), (row) => caseOf.get(ventKey(row[column])));
  const itemsOf = Map.groupBy(decided, ({ author }) => author);
  const derived = new Map(
    decided.map(({ id, author, decidedAt, days }) => [
      id,
      [
        {
          // What the attacker can compute from a case, and from all cases of its author.
          row: {
            planned_end: new Date(decidedAt + days * 86_400_000).toISOString(),
            decided_items: itemsOf.get(author)?.length ?? 0,
            sanctioned_days: itemsOf.get(author)?.reduce((sum, one) => sum + one.days, 0) ?? 0,
          },
          place: 0,
          xmin: 0,
        },
      ],
    ]),
  );
  return {
    'moderation.cases': groupBy(table(copy, 'moderation.cases'), (row) => text(row['id'])),
    'moderation.notices': groupBy(table(copy, 'moderation.notices'), (row) => text(row['case_id'])),
    'moderation.reports': groupBy(table(copy, 'moderation.reports'), (row) => text(row['case_id'])),
    'moderation.audit': groupBy(table(copy, 'moderation.audit'), (row) =>
      row['case_id'] === null ? undefined : text(row['case_id']),
    ),
    'content.vents': ofVents('content.vents', 'id'),
    'content.vent_stats': ofVents('content.vent_stats', 'vent_id'),
    'content.comments': groupBy(table(copy, 'content.comments'), (row) =>
      caseOf.get(commentKey(row['vent_id'], row['no'])),
    ),
    derived,
  };
}

/** All rows that belong to an account. Numbers and names of people who left are theirs too. */
function accountSide(copy: Copy): Side {
  const { numberOwner, speakerOwner } = town.truth;
  return Object.fromEntries(
    Object.entries(copy)
      .filter(([name]) => name.startsWith('identity.'))
      .map(([name, held]) => [
        name,
        groupBy(held, (row) => {
          if (name === 'identity.users') return text(row['id']);
          if (row['user_id'] !== undefined) return row['user_id'] === null ? undefined : text(row['user_id']);
          return numberOwner.get(text(row['idx'])) ?? speakerOwner.get(text(row['speaker_id']));
        }),
      ]),
  );
}

/** The rows that show when a person was silent: pairs under their key, and comments under their name. */
function silentSide(copy: Copy): Side {
  const { pairOwner, authorOf } = town.truth;
  const pairs = table(copy, 'matching.pairs');
  const sides = ['a_key', 'b_key'].flatMap((column) =>
    pairs.map((seen) => ({ ...seen, row: { ...seen.row, owner: pairOwner.get(text(seen.row[column])) } })),
  );
  const named = table(copy, 'content.comments').filter(({ row }) => row['voice'] === 'named');
  return {
    'matching.pairs': groupBy(sides, (row) => row['owner'] as string | undefined),
    'comments by name': groupBy(named, (row) => authorOf.get(commentKey(row['vent_id'], row['no']))),
  };
}

/** One target for each author. */
function questionsOf(decided: readonly Decided[]): Question[] {
  const inOrder = decided.toSorted((a, b) => a.decidedAt - b.decidedAt);
  const one = (held: readonly Decided[]) =>
    new Map([...new Map(held.map(({ author, id }) => [author, id]))].map(([author, id]) => [id, author]));
  return [
    { name: 'first decided', truth: one(inOrder.toReversed()) },
    { name: 'last decided', truth: one(inOrder) },
    { name: 'sanctioned', truth: one(inOrder.filter(({ sanction }) => sanction !== 'none')) },
    {
      name: 'suspended',
      truth: one(inOrder.filter(({ sanction }) => sanction === 'suspend' || sanction === 'ban')),
    },
  ];
}

const accountsIn = (copy: Copy) => table(copy, 'identity.users').map(({ row }) => text(row['id']));

interface Asked {
  readonly sideOf?: (copy: Copy) => Side;
  /** One of the questions, instead of all. */
  readonly only?: string;
  /** Gives the authors of the items to other items, at random. */
  readonly shuffle?: Seeded;
}

function attackItems(copy: Copy, { sideOf = accountSide, only, shuffle }: Asked = {}): Attack {
  const decided = namelessIn(copy);
  const questions = questionsOf(decided)
    .filter(({ name }) => only === undefined || name === only)
    .map(({ name, truth }) => {
      if (!shuffle) return { name, truth };
      const authors = shuffle.shuffle([...truth.values()]);
      return { name, truth: new Map([...truth.keys()].map((id, n) => [id, authors[n] as string])) };
    });
  return attack(targetSide(copy, decided), sideOf(copy), accountsIn(copy), questions);
}

function attackProfiles(copy: Copy): Attack {
  const decided = decidedIn(copy).filter(({ kind }) => kind === 'profile');
  const [first] = questionsOf(decided);
  return attack(targetSide(copy, decided), accountSide(copy), accountsIn(copy), first ? [first] : []);
}

const describeFinding = ({ how, found, of, log, what }: Finding) =>
  `${how === 'order' ? `r = ${found.toFixed(2)} for ${of}` : `${found} of ${of}`}, by chance at most 10^${log.toFixed(1)} (${what})`;

function print(what: string, { comparisons, limit, findings, proven }: Attack): void {
  const best = (['matching', 'order', 'set'] as const).flatMap((how) => {
    const found = findings.find((one) => one.how === how);
    return found ? [`  best by ${how}: ${describeFinding(found)}`] : [];
  });
  console.log(
    [
      `${what}: ${comparisons} comparisons, ${proven.length} beyond chance (10^${limit.toFixed(1)} each)`,
      ...best,
    ].join('\n'),
  );
}

/** Runs `plant` in a transaction, copies the tables and rolls back. */
async function withPlanted<T>(
  plant: (client: pg.PoolClient) => Promise<void>,
  read: (copy: Copy) => T,
): Promise<T> {
  const client = await rows.connect();
  try {
    await client.query('begin');
    await plant(client);
    return read(await copyTables(client));
  } finally {
    await client.query('rollback');
    client.release();
  }
}

describe(`a copy of the files of a community of ${size.people} people with moderation`, () => {
  test('is worth attacking', () => {
    const nameless = namelessIn(night);
    const count = (held: readonly SeenRow[], name: (row: SeenRow['row']) => string) =>
      Object.fromEntries(
        [...Map.groupBy(held, ({ row }) => name(row))].map(([key, group]) => [key, group.length]),
      );
    const cases = table(night, 'moderation.cases');
    const kinds = count(cases, (row) => `${text(row['subject_kind'])} ${text(row['outcome'])}`);
    const resolutions = count(cases, (row) => text(row['resolution']));
    const deciders = count(cases, (row) => text(row['decided_by']));
    const sanctions = count(
      table(night, 'moderation.notices'),
      (row) => termsOf(row['case_id'])?.sanction ?? '',
    );
    const authors = Object.fromEntries(questionsOf(nameless).map(({ name, truth }) => [name, truth.size]));
    const figures = { kinds, resolutions, deciders, sanctions, authors, left: town.truth.left.size };
    console.log(JSON.stringify({ ...figures, held: table(night, 'identity.held_numbers').length }));
    for (const kind of [
      'vent hide',
      'vent remove',
      'comment hide',
      'comment remove',
      'profile remove',
      'vent care',
      'vent keep',
    ])
      expect(kinds[kind], kind).toBeGreaterThan(3);
    for (const sanction of ['none', 'limit', 'suspend', 'ban'])
      expect(sanctions[sanction]).toBeGreaterThan(1);
    for (const resolution of ['upheld', 'overturned']) expect(resolutions[resolution]).toBeGreaterThan(10);
    expect(Object.values(deciders).filter((made) => made > 10)).toHaveLength(3);
    expect(authors['first decided']).toBeGreaterThan(45);
    expect(authors['sanctioned']).toBeGreaterThan(30);
    expect(table(night, 'identity.held_numbers').length).toBeGreaterThan(1);
  });

  test.each([
    ['in the evening', () => evening],
    ['after the night', () => night],
  ])(
    'leads from no decided item to its author by any column, order, size or transaction, %s (R34)',
    (when, copy) => {
      const found = attackItems(copy());
      print(when, found);
      expect(found.comparisons).toBeGreaterThan(50_000);
      expect(found.proven.map(describeFinding)).toEqual([]);
    },
  );

  test(
    'would do as well with authors drawn at random',
    fullTier('It checks the bound of the attack, which is above, not the product.'),
    () => {
      const real = attackItems(night, { only: 'first decided' });
      const shuffle = seeded(77);
      const best = (found: Attack) => found.findings[0]?.log ?? 0;
      const drawn = Array.from({ length: 6 }, () =>
        best(attackItems(night, { only: 'first decided', shuffle })),
      );
      console.log(
        `strongest finding 10^${best(real).toFixed(1)}; with random authors 10^${drawn.map((log) => log.toFixed(1)).join(', 10^')}`,
      );
      // The bound is far below what chance gives.
      expect(Math.min(...drawn)).toBeGreaterThan(real.limit);
    },
  );

  test('has no opaque value of moderation in another schema (R34)', () => {
    const isModeration = (name: string) => name.startsWith('moderation.');
    for (const copy of [evening, night]) expect(sharedValues(copy, isModeration)).toEqual({});
  });

  /** All decided cases, also about names and profiles: a name must not lead to a case without one. */
  const attackCases = (copy: Copy) => {
    // One case of each item: a second one has the same subject on purpose.
    const decided = [...new Map(decidedIn(copy).map((one) => [one.item, one])).values()];
    const sides = Object.entries(targetSide(copy, decided)).filter(([name]) =>
      name.startsWith('moderation.'),
    );
    return attackGroups(Object.fromEntries(sides), new Map(decided.map(({ id, author }) => [id, author])));
  };

  test('joins no two cases of one author (R34)', () => {
    for (const [when, copy] of [
      ['cases of one author, in the evening', evening],
      ['cases of one author, after the night', night],
    ] as const) {
      const found = attackCases(copy);
      print(when, found);
      expect(found.comparisons).toBeGreaterThan(50);
      expect(found.proven.map(describeFinding)).toEqual([]);
    }
  });

  test('joins the cases of one author when slots begin with a key of the person (R34)', async () => {
    const found = await withPlanted(async (client) => {
      for (const [n, { id, author }] of decidedIn(night).entries()) {
        const slot = Buffer.alloc(16);
        slot.writeBigInt64BE(BigInt(author));
        slot.writeInt32BE(n, 12);
        await client.query('update moderation.notices set slot_key = $2 where case_id = $1', [id, slot]);
      }
    }, attackCases);
    expect(found.proven.map(({ what }) => what)).toContain('moderation.notices.slot_key');
  });

  // What the attack finds ---------------------------------------------------------------------------------

  /** Sanctioned decisions, oldest first, one for each author who still has an account. */
  const sanctioned = () => {
    const here = new Set(accountsIn(night));
    const byId = new Map(namelessIn(night).map((one) => [one.id, one]));
    const asked = questionsOf(namelessIn(night)).find(({ name }) => name === 'sanctioned');
    return [...(asked?.truth.keys() ?? [])]
      .flatMap((id) => byId.get(id) ?? [])
      .filter(({ author }) => here.has(author))
      .toSorted((a, b) => a.decidedAt - b.decidedAt);
  };
  const time = (ms: number) => new Date(ms).toISOString();
  type Plant = (client: pg.PoolClient, made: readonly Decided[]) => Promise<void>;
  const plants: [string, Finding['how'], RegExp, Plant][] = [
    [
      'the end of a sanction on the account',
      'matching',
      /suspended_until/u,
      async (client, made) => {
        await client.query('alter table identity.users add column suspended_until timestamptz');
        for (const { author, decidedAt, days } of made)
          await client.query('update identity.users set suspended_until = $2 where id = $1', [
            author,
            time(decidedAt + days * 86_400_000),
          ]);
      },
    ],
    [
      'the day of a decision on the account',
      'order',
      /sanctioned_on/u,
      async (client, made) => {
        await client.query('alter table identity.sessions add column sanctioned_on date');
        for (const { author, decidedAt } of made)
          await client.query('update identity.sessions set sanctioned_on = $2 where user_id = $1', [
            author,
            time(decidedAt).slice(0, 10),
          ]);
      },
    ],
    [
      'a row for each decision, in the order of decisions',
      'order',
      /strikes\.\(position\)/u,
      async (client, made) => {
        await client.query('create table identity.strikes (user_id bigint not null)');
        for (const { author } of made)
          await client.query('insert into identity.strikes values ($1)', [author]);
      },
    ],
    [
      'accounts that a decision writes',
      'order',
      /users\.\(transaction\)/u,
      async (client, made) => {
        for (const { author } of made) {
          // A subtransaction has a number of its own.
          await client.query('savepoint decision');
          await client.query('update identity.users set bio = bio where id = $1', [author]);
          await client.query('release decision');
        }
      },
    ],
    [
      'slots in the order of accounts',
      'order',
      /notices\.slot_key and identity\.\w+\.(?:user_)?id$/u,
      async (client, made) => {
        for (const { id, author } of made) {
          const slot = Buffer.alloc(16);
          slot.writeBigInt64BE(BigInt(author));
          await client.query('update moderation.notices set slot_key = $2 where case_id = $1', [id, slot]);
        }
      },
    ],
    [
      'an encrypted author whose size depends on the account',
      'order',
      /sealed_author \(size\) and identity\.\w+\.(?:user_)?id$/u,
      async (client, made) => {
        const byId = [...new Set(made.map(({ author }) => author))].toSorted((a, b) => Number(a) - Number(b));
        for (const { id, author } of made)
          await client.query(
            `update moderation.cases set sealed_author = decode(repeat('00', 100 + $2::int), 'hex') where id = $1`,
            [id, byId.indexOf(author)],
          );
      },
    ],
    [
      'a mark on sanctioned accounts',
      'set',
      /is_sanctioned/u,
      async (client, made) => {
        await client.query('alter table identity.devices add column is_sanctioned boolean');
        for (const { author } of made)
          await client.query('update identity.devices set is_sanctioned = true where user_id = $1', [author]);
      },
    ],
  ];
  test.each(plants)('finds a planted leak: %s (R34)', async (_, how, where, plant) => {
    const made = sanctioned();
    const found = await withPlanted(
      (client) => plant(client, made),
      (copy) => attackItems(copy, { only: 'sanctioned' }),
    );
    const planted = found.proven.filter((one) => one.how === how && where.test(one.what));
    console.log(`${made.length} planted: ${planted[0] ? describeFinding(planted[0]) : 'not found'}`);
    expect(planted.length).toBeGreaterThan(0);
  });

  test('finds a planted leak: the key of a speaker in a notice (R34)', async () => {
    const shared = await withPlanted(
      async (client) => {
        await client.query('alter table moderation.notices add column speaker bytea');
        for (const { id, author } of sanctioned())
          await client.query(
            `update moderation.notices set speaker = (select speaker_id from identity.users where id = $2)
              where case_id = $1`,
            [id, author],
          );
      },
      (copy) => sharedValues(copy, (name) => name.startsWith('moderation.')),
    );
    expect(shared).toEqual({ 'moderation.notices.speaker': sanctioned().length });
  });

  // What is declared --------------------------------------------------------------------------------------

  test(
    'shows whose profile a decision emptied, and on which day, which is declared',
    fullTier('It measures what docs/known-exceptions.md declares: a figure is wrong for a day.'),
    () => {
      for (const [when, copy] of [
        ['profiles, in the evening', evening],
        ['profiles, after the night', night],
      ] as const) {
        const found = attackProfiles(copy);
        print(when, found);
        // The name is held for its owner, beside an account without a name.
        const names = found.proven.map(({ what }) => what);
        expect(names).toContainEqual(expect.stringContaining('having identity.held_usernames.user_id'));
        expect(names).toContainEqual(expect.stringContaining('identity.held_usernames.held_until'));
        // Nothing else tells it.
        expect(names.filter((what) => !/held_usernames|identity\.users/u.test(what))).toEqual([]);
      }
    },
  );

  test(
    'tells by silence as much as the site does, which is declared (SC-37)',
    fullTier('It measures what docs/known-exceptions.md declares: a figure is wrong for a day.'),
    () => {
      const copy = night;
      print('by pairs and comments under a name', attackItems(copy, { sideOf: silentSide }));
      const noticeOf = groupBy(table(copy, 'moderation.notices'), (row) => text(row['case_id']));
      const named = silentSide(copy)['comments by name'];
      const here = accountsIn(copy).filter((account) => named?.has(account));
      const lastDay = time(Math.max(...decidedIn(copy).map(({ decidedAt }) => decidedAt)));
      let [cases, expected, byChance] = [0, 0, 0];
      for (const { id, author, sanction } of namelessIn(copy)) {
        const notice = noticeOf.get(id)?.[0]?.row;
        if (sanction === 'none' || !notice || notice['voided_at'] !== null || !here.includes(author))
          continue;
        const { startsAt, endsAt } = termsOf(id) ?? {};
        const [from, until] = [startsAt, endsAt].map((at) => time(at ?? 0).slice(0, 10));
        // On the days between the first and the last, nothing stands under the name of the author.
        const isSilent = (account: string) =>
          !named?.get(account)?.some(({ row }) => {
            const day = text(row['said_on']);
            return day > (from ?? '') && day < (until ?? '') && day < lastDay.slice(0, 10);
          });
        const silent = here.filter(isSilent);
        expect(silent).toContain(author);
        cases += 1;
        expected += 1 / silent.length;
        byChance += 1 / here.length;
      }
      const percent = (sum: number) => `${((100 * sum) / cases).toFixed(1)} %`;
      console.log(
        `${cases} sanctions, ${here.length} names: a name that was silent is the right one in ${percent(expected)}, ` +
          `any name in ${percent(byChance)}`,
      );
      expect(cases).toBeGreaterThan(5);
      expect(expected).toBeGreaterThanOrEqual(byChance);
    },
  );
});
