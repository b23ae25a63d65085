import type { Endpoint } from '@unsaid/contract';
import * as console from '@unsaid/contract/moderation/console';
import { beforeAll, expect, test } from 'vitest';
import { buildModApp } from '../src/mod-app.ts';
import { addModerator } from '../src/moderation/moderators/staff.ts';
import { ownTestApp, usePool, useTestApp } from './app.ts';
import { signInModerator, type SignedInModerator } from './authenticator.ts';
import { appealCase, decide, reportItem, take } from './cases-app.ts';
import { makeComment, makeUser, makeVent, type Person } from './factories.ts';

/** What the contract says of the console's calls, against the server. */
const app = useTestApp({ limitsScale: 10_000 });
const owner = usePool(app);
const minute = 60_000;

let mia: SignedInModerator;
let noor: SignedInModerator;
let lead: SignedInModerator;
let ann: Person;

beforeAll(async () => {
  mia = await signInModerator(app, { alias: 'mia' });
  noor = await signInModerator(app, { alias: 'noor' });
  lead = await signInModerator(app, { alias: 'lea', role: 'lead' });
  ann = await makeUser(app);
});

const nameOf = ({ method, path }: Pick<Endpoint, 'method' | 'path'>) => `${method} ${path}`;

test('every call of the console has one route and is in the list, and no other route is under its path', async () => {
  const { deps, features } = await ownTestApp();
  const { server } = await buildModApp(deps, features);
  /** The tree of routes: each line has the rest of its path after that of the line above it. */
  const parents: string[] = [];
  const routes: string[] = [];
  for (const line of server.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent = '', part, methods = ''] = /^([│├└─\s]+)(\S+) \(([A-Z, ]+)\)/u.exec(line) ?? [];
    if (part === undefined) continue;
    const depth = indent.length / 4;
    const path = (parents[depth - 1] ?? '') + part;
    parents[depth] = path;
    if (path.startsWith(console.consolePath))
      for (const method of methods.split(', ')) if (method !== 'HEAD') routes.push(`${method} ${path}`);
  }
  const listed = console.consoleEndpoints.map(nameOf);
  expect(routes.toSorted()).toEqual(listed.toSorted());
  expect(new Set(listed).size).toBe(listed.length);
  // What is declared and forgotten in the list would escape every test that goes through it.
  const declared = Object.values<unknown>(console).flatMap((one) =>
    typeof one === 'object' && one !== null && 'response' in one ? [one as Endpoint] : [],
  );
  expect(declared.map(nameOf).toSorted()).toEqual(listed.toSorted());
  await server.close();
});

test('every call of the console says who may make it', () => {
  const whoMay = ({ auth, roles, needsProof }: Endpoint) =>
    [auth ?? 'nobody', ...(roles ?? ['any role']), ...(needsProof ? ['proof'] : [])].join(', ');
  const byPolicy = Map.groupBy(console.consoleEndpoints, whoMay);
  expect(Object.fromEntries([...byPolicy].map(([who, calls]) => [who, calls.map(nameOf)]))).toEqual({
    'public, any role': [
      'POST /api/mod/enrol/options',
      'POST /api/mod/enrol',
      'POST /api/mod/sign-in/options',
      'POST /api/mod/sign-in',
    ],
    'moderator, any role': [
      'POST /api/mod/prove/options',
      'POST /api/mod/prove',
      'DELETE /api/mod/session',
      'GET /api/mod/me',
      'GET /api/mod/metrics',
    ],
    'moderator, moderator, lead': [
      'GET /api/mod/cases',
      'GET /api/mod/cases/:id',
      'POST /api/mod/cases/next',
      'POST /api/mod/cases/:id/take',
      'POST /api/mod/cases/:id/extend',
      'POST /api/mod/cases/:id/release',
      'POST /api/mod/cases/:id/escalate',
      'POST /api/mod/cases/:id/reveal',
      'POST /api/mod/cases/:id/decide',
      'POST /api/mod/cases/:id/resolve',
    ],
    'moderator, lead, proof': ['POST /api/mod/cases', 'POST /api/mod/cases/:id/reverse'],
    'moderator, lead, auditor': ['GET /api/mod/audit'],
  });
});

/** A case in each situation that the rules tell apart. */
async function makeSituations(): Promise<string[]> {
  const report = async () => {
    const vent = await makeVent(app, ann);
    return reportItem(app, { kind: 'vent', id: vent.id }, 'harassment');
  };
  const escalated = async () => {
    const id = await report();
    const { version } = await take(app, noor, id);
    const body = { version };
    expect((await app.callMod(console.escalateCase, { as: noor, params: { id }, body })).status).toBe(200);
    return id;
  };
  const decided = async (by: SignedInModerator) => {
    const id = await report();
    expect((await decide(app, by, id, { outcome: 'hide' })).status).toBe(200);
    return id;
  };
  const appealed = async (by: SignedInModerator) => {
    const id = await decided(by);
    expect(await appealCase(app, id, 'Look again')).toBe(true);
    return id;
  };
  const held = async (by: SignedInModerator, id: string) => {
    await take(app, by, id);
    return id;
  };
  const closed = await report();
  expect((await decide(app, noor, closed, { outcome: 'keep' })).status).toBe(200);
  return [
    '999999',
    closed,
    await report(),
    await held(mia, await report()),
    await held(lead, await report()),
    await escalated(),
    await held(lead, await escalated()),
    await decided(mia),
    await decided(noor),
    await decided(lead),
    await appealed(mia),
    await appealed(lead),
    await held(mia, await appealed(noor)),
    await held(lead, await appealed(noor)),
  ];
}

test('every call of the console gives exactly the errors that it declares', async () => {
  const given = new Map(console.consoleEndpoints.map((endpoint) => [nameOf(endpoint), new Set<string>()]));
  /** Makes a call that the policy allows, and notes the error. True if there was none. */
  async function attempt<E extends Endpoint>(
    endpoint: E,
    options: Parameters<typeof app.callMod<E>>[1],
  ): Promise<boolean> {
    const { status, body, text } = await app.callMod(endpoint, options);
    if (status < 300) return true;
    expect(body.code, text).toBeDefined();
    given.get(nameOf(endpoint))?.add(String(body.code));
    return false;
  }

  const situations = await makeSituations();
  await owner.query('create table public.before as select * from moderation.cases');
  const columns = `state, version, leased_by, leased_until, outcome, decided_by, decided_at, appeal_until, appealed_at,
    resolution, resolved_by, resolved_at, pending_effect, purge_at`;
  const restore = (id: string) =>
    owner.query(
      `update moderation.cases as c set (${columns}) = (select ${columns} from public.before b where b.id = c.id)
        where id = $1`,
      [id],
    );
  let successes = 0;
  for (const id of situations) {
    const row = await owner.query('select version from moderation.cases where id = $1', [id]);
    const version: number = row.rows[0]?.version ?? 0;
    for (const as of [mia, lead]) {
      const of = { as, params: { id } };
      const attempts = [
        () => attempt(console.getCase, of),
        () => attempt(console.takeCase, of),
        () => attempt(console.extendLease, of),
        () => attempt(console.releaseCase, { ...of, body: {} }),
        () => attempt(console.revealPart, { ...of, body: { part: 'item' } }),
        ...[version, version + 1].flatMap((seen) => [
          () => attempt(console.escalateCase, { ...of, body: { version: seen } }),
          () =>
            attempt(console.resolveAppeal, {
              ...of,
              body: { version: seen, resolution: 'overturned' as const },
            }),
          ...(as === lead ? [() => attempt(console.reverseCase, { ...of, body: { version: seen } })] : []),
          ...(['none', 'ban'] as const).flatMap((sanction) =>
            [{}, { policy: 'threat' as const }].map((rule) => {
              const body = { version: seen, outcome: 'remove', sanction, isDryRun: true, ...rule } as const;
              return () => attempt(console.decideCase, { ...of, body });
            }),
          ),
        ]),
      ];
      for (const act of attempts) {
        if (!(await act())) continue;
        successes += 1;
        await restore(id);
      }
    }
  }
  // Not a test of refusals alone.
  expect(successes).toBeGreaterThan(20);

  const heldByMia = situations[3] ?? '';
  await owner.query(`update moderation.moderators set severe_per_day = 0 where alias = 'mia'`);
  await attempt(console.revealPart, { as: mia, params: { id: heldByMia }, body: { part: 'item' } });

  const vent = await makeVent(app, ann);
  const commentId = await makeComment(app, ann, vent.id);
  for (const about of [
    { kind: 'vent', id: vent.id },
    { kind: 'vent', id: 'nothing' },
    { kind: 'comment', id: commentId, ventId: vent.id },
    { kind: 'comment', id: 'nothing', ventId: vent.id },
    { kind: 'comment', id: commentId, ventId: 'nothing' },
    { kind: 'profile', id: 'nothing' },
  ] as const)
    // Twice: the second time a case is there already.
    for (const source of ['staff', 'order'] as const)
      await attempt(console.openCase, { as: lead, body: { about, policy: 'harassment', source } });
  for (let left = 3; left > 0; left -= 1) await attempt(console.nextCase, { as: lead });

  const token = await addModerator(app.features.moderation, 'newcomer', 'moderator');
  for (const one of [token, 'guessed']) {
    await attempt(console.enrolOptions, { body: { token: one } });
    await attempt(console.enrol, { body: { token: one, credential: {} } });
  }
  await attempt(console.signInOptions, {});
  await attempt(console.signIn, { body: { credential: {} } });
  await attempt(console.proveOptions, { as: noor });
  await attempt(console.prove, { as: noor, body: { credential: {} } });
  for (const show of console.caseFilters) await attempt(console.listCases, { as: mia, query: { show } });
  await attempt(console.getMetrics, { as: mia });
  await attempt(console.listAudit, { as: lead, query: { before: '1', caseId: '999999' } });
  await attempt(console.getMe, { as: mia });

  // The proof of the sign-in is too old for a ban.
  app.clock.advance(11 * minute);
  const { version } = await take(app, lead, heldByMia);
  const ban = { version, outcome: 'remove', policy: 'threat', sanction: 'ban' } as const;
  await attempt(console.decideCase, { as: lead, params: { id: heldByMia }, body: ban });
  await attempt(console.signOut, { as: noor });

  const declared = console.consoleEndpoints.map((endpoint) => [
    nameOf(endpoint),
    [...(endpoint.errors ?? [])].toSorted(),
  ]);
  expect(Object.fromEntries([...given].map(([name, codes]) => [name, [...codes].toSorted()]))).toEqual(
    Object.fromEntries(declared),
  );
});
