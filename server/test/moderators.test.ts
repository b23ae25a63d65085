import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { getSelf, reportVent, type Endpoint } from '@unsaid/contract';
import {
  consoleEndpoints,
  enrol,
  enrolOptions,
  getMe,
  getMetrics,
  listAudit,
  listCases,
  moderatorRoles,
  prove,
  proveOptions,
  reverseCase,
  signIn,
  signInOptions,
  signOut,
} from '@unsaid/contract/moderation/console';
import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { bareEnv } from '../../testkit/child-processes.ts';
import { freePort } from '../../testkit/free-port.ts';
import { isReady, repo, spawnServer } from '../../testkit/server-process.ts';
import { buildModApp } from '../src/mod-app.ts';
import { recordAudit } from '../src/moderation/audit.ts';
import { moderationMetrics } from '../src/moderation/moderation.metrics.ts';
import { bindModerator, sealModerator } from '../src/moderation/moderators/moderator.ts';
import { addModerator, disableModerator, renewEnrolment } from '../src/moderation/moderators/staff.ts';
import { buildApp } from '../src/app.ts';
import { dayInIndia, startOfDayInIndia } from '../src/platform/clock.ts';
import { runJobs } from '../src/platform/jobs.ts';
import {
  newActor,
  ownTestApp,
  startBehindProxy,
  startBeside,
  usePool,
  useTestApp,
  type Actor,
  type TestApp,
} from './app.ts';
import {
  createAuthenticator,
  enrolModerator,
  proveAgain,
  signInAgain,
  signInModerator,
} from './authenticator.ts';
import { makeUser, makeVent } from './factories.ts';
import { collide, expectLockWaiters } from './locks.ts';
import { makeWebRoot } from './routes.ts';
import { fullTier } from './runs.ts';

const app = useTestApp();
const pool = usePool(app);
const minute = 60_000;
const hour = 60 * minute;

const newAlias = () => `m-${randomBytes(6).toString('hex')}`;

async function sessionsOf(alias: string): Promise<number> {
  const rows = await app.deps.databases.moderation
    .selectFrom('moderation.sessions as s')
    .innerJoin('moderation.moderators as m', 'm.id', 's.moderatorId')
    .select('s.endsAt')
    .where('m.alias', '=', alias)
    .execute();
  return rows.length;
}

async function auditOf(alias: string): Promise<string[]> {
  const { rows } = await sql<{ entry: string }>`
    select actor || ' ' || action as entry from moderation.audit
     where actor = ${alias} or detail ->> 'alias' = ${alias} order by seq`.execute(
    app.deps.databases.moderation,
  );
  return rows.map(({ entry }) => entry.replace(alias, 'self'));
}

async function firstBroken(): Promise<unknown> {
  const { rows } = await sql<{ seq: bigint | null }>`select moderation.first_broken_audit() as seq`.execute(
    app.deps.databases.moderation,
  );
  return rows[0]?.seq;
}

describe('enrolment:', () => {
  test('a link registers one passkey, and is then used up', async () => {
    const alias = newAlias();
    const token = await addModerator(app.features.moderation, alias, 'moderator');
    const first = createAuthenticator(app);
    const asked = await app.callMod(enrolOptions, { body: { token } });
    expect(asked.body.alias).toBe(alias);
    expect(asked.body.options).toMatchObject({
      rp: { id: 'localhost' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    const again = await app.callMod(enrolOptions, { body: { token } });
    const credential = first.register(asked.body.options);
    expect((await app.callMod(enrol, { body: { token, credential } })).status).toBe(200);

    const second = createAuthenticator(app).register(again.body.options);
    const late = await app.callMod(enrol, { body: { token, credential: second } });
    expect([late.status, late.body.code]).toEqual([403, 'ENROL_INVALID']);
    expect((await app.callMod(enrolOptions, { body: { token } })).body.code).toBe('ENROL_INVALID');
    expect(await auditOf(alias)).toEqual([
      'operator moderator_added',
      'operator enrolment_offered',
      'self passkey_registered',
    ]);
  });

  test('of two passkeys that are registered at once with one link, one is', async () => {
    const alias = newAlias();
    const token = await addModerator(app.features.moderation, alias, 'moderator');
    const credentials = [];
    for (const authenticator of [createAuthenticator(app), createAuthenticator(app)]) {
      const asked = await app.callMod(enrolOptions, { body: { token } });
      credentials.push(authenticator.register(asked.body.options));
    }
    // Both have found the link, and wait to use it up.
    const answers = await collide(
      pool,
      'select 1 from moderation.moderators where alias = $1 for update',
      credentials.map((credential) => () => app.callMod(enrol, { body: { token, credential } })),
      [alias],
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403]);
    expect(answers.map(({ body }) => body.code)).toContain('ENROL_INVALID');
    const kept = await pool.query(
      `select 1 from moderation.passkeys p join moderation.moderators m on m.id = p.moderator_id
        where m.alias = $1`,
      [alias],
    );
    expect(kept.rowCount).toBe(1);
  });

  test('a link expires after 48 hours, and a newer link replaces it', async () => {
    const alias = newAlias();
    const old = await addModerator(app.features.moderation, alias, 'lead');
    const token = await renewEnrolment(app.features.moderation, alias);
    expect((await app.callMod(enrolOptions, { body: { token: old } })).body.code).toBe('ENROL_INVALID');
    const { body } = await app.callMod(enrolOptions, { body: { token } });
    const credential = createAuthenticator(app).register(body.options);
    app.clock.advance(48 * hour);
    expect((await app.callMod(enrolOptions, { body: { token } })).body.code).toBe('ENROL_INVALID');
    expect((await app.callMod(enrol, { body: { token, credential } })).body.code).toBe('ENROL_INVALID');
  });

  test('a passkey for another origin, site or challenge, or without user verification, is refused', async () => {
    const token = await addModerator(app.features.moderation, newAlias(), 'moderator');
    const foreign = await addModerator(app.features.moderation, newAlias(), 'moderator');
    const ask = async (link: string) =>
      (await app.callMod(enrolOptions, { body: { token: link } })).body.options;
    const wrong = {
      origin: () => Object.assign(createAuthenticator(app), { origin: 'https://moderation.example' }),
      site: () => Object.assign(createAuthenticator(app), { rpId: 'moderation.example' }),
      verification: () => Object.assign(createAuthenticator(app), { isUserVerified: false }),
    };
    const credentials = [
      wrong.origin().register(await ask(token)),
      wrong.site().register(await ask(token)),
      wrong.verification().register(await ask(token)),
      // The challenge of another link, and one that the server did not make.
      createAuthenticator(app).register(await ask(foreign)),
      createAuthenticator(app).register({ ...(await ask(token)), challenge: 'AAAA' }),
      {},
      { response: { clientDataJSON: 7 } },
      { id: 'x', response: null },
    ];
    for (const credential of credentials) {
      const answer = await app.callMod(enrol, { body: { token, credential } });
      expect([answer.status, answer.body.code]).toEqual([403, 'PASSKEY_INVALID']);
    }
    // None of them used up the link.
    await enrolModerator(app, token);
  });

  test('a passkey that is registered already is refused for anybody else', async () => {
    const asha = await signInModerator(app);
    const token = await addModerator(app.features.moderation, newAlias(), 'moderator');
    const { body } = await app.callMod(enrolOptions, { body: { token } });
    const credential = asha.authenticator.register(body.options);
    expect((await app.callMod(enrol, { body: { token, credential } })).body.code).toBe('PASSKEY_INVALID');
  });
});

/** Where the two numbers of an ECDSA signature are. The frame of DER around them is not part of what was signed. */
function signatureBytes(der: Buffer): number[] {
  const first = der[3] ?? 0;
  const second = 4 + first + 2;
  const places = (from: number, length: number) => Array.from({ length }, (_, index) => from + index);
  return [...places(4, first), ...places(second, der[second - 1] ?? 0)];
}

describe('sign-in:', () => {
  const ask = async () => (await app.callMod(signInOptions)).body.options;
  const submit = (credential: Record<string, unknown>) => app.callMod(signIn, { body: { credential } });

  test('gives a session that ends with sign-out, and all of it is in the audit log', async () => {
    const asha = await signInModerator(app, { role: 'lead' });
    const me = await app.callMod(getMe, { as: asha });
    expect(me.body.me).toMatchObject({ alias: asha.alias, role: 'lead', isProven: true, severeLeft: 25 });
    await proveAgain(app, asha);
    const before = new Map(asha.cookies);
    expect((await app.callMod(signOut, { as: asha })).status).toBe(200);
    expect(asha.cookies.size).toBe(0);
    expect((await app.callMod(getMe, { as: { cookies: before } })).body.code).toBe('UNAUTHENTICATED');
    expect(await auditOf(asha.alias)).toEqual([
      'operator moderator_added',
      'operator enrolment_offered',
      'self passkey_registered',
      'self signed_in',
      'self proved',
      'self signed_out',
    ]);
    expect(await firstBroken()).toBeNull();
  });

  test('a response works once', async () => {
    const { authenticator, alias } = await signInModerator(app);
    const credential = authenticator.assert(await ask());
    expect((await submit(credential)).status).toBe(200);
    const replay = await submit(credential);
    expect([replay.status, replay.body.code]).toEqual([403, 'PASSKEY_INVALID']);
    expect(await sessionsOf(alias)).toBe(2);
    const twice = authenticator.assert(await ask());
    const answers = await Promise.all([submit(twice), submit(twice)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403]);
  });

  test('a challenge is kept for five minutes and only for its purpose', async () => {
    const asha = await signInModerator(app);
    const binu = await signInModerator(app);
    const before = new Set(await app.redis.keys(`${app.config.redisPrefix}mod:*`));
    const options = await ask();
    const after = await app.redis.keys(`${app.config.redisPrefix}mod:*`);
    const key = after.find((name) => !before.has(name)) ?? '';
    const ttl = await app.redis.ttl(key);
    expect(ttl).toBeGreaterThan(0);
    expect(ttl).toBeLessThanOrEqual(300);
    await app.redis.del(key);
    expect((await submit(asha.authenticator.assert(options))).body.code).toBe('PASSKEY_INVALID');

    const toProve = (await app.callMod(proveOptions, { as: asha })).body.options;
    expect((await submit(asha.authenticator.assert(toProve))).body.code).toBe('PASSKEY_INVALID');
    const proveWith = (as: typeof asha, credential: Record<string, unknown>) =>
      app.callMod(prove, { as, body: { credential } });
    const others = (await app.callMod(proveOptions, { as: binu })).body.options;
    const refused = [
      await proveWith(asha, asha.authenticator.assert(others)),
      await proveWith(asha, asha.authenticator.assert(await ask())),
      // The right challenge, signed by somebody else's passkey.
      await proveWith(
        asha,
        binu.authenticator.assert((await app.callMod(proveOptions, { as: asha })).body.options),
      ),
    ];
    expect(refused.map(({ body }) => body.code)).toEqual(Array(3).fill('PASSKEY_INVALID'));
  });

  test('another origin, site, challenge, user or key is refused, and so is a missing user verification', async () => {
    const { authenticator, alias } = await signInModerator(app);
    const usual = { origin: authenticator.origin, rpId: authenticator.rpId };
    const right = async () => authenticator.assert(await ask());
    const within = async (change: Partial<typeof authenticator>) => {
      Object.assign(authenticator, change);
      const credential = await right();
      Object.assign(authenticator, usual, { isUserVerified: true });
      return credential;
    };
    const unknown = createAuthenticator(app);
    const changed = async (change: Record<string, unknown>) => {
      const credential = await right();
      return { ...credential, response: { ...(credential['response'] as object), ...change } };
    };
    const credentials = [
      await within({ origin: 'https://moderation.example' }),
      await within({ rpId: 'moderation.example' }),
      await within({ isUserVerified: false }),
      authenticator.assert({ challenge: randomBytes(32).toString('base64url') }),
      unknown.assert(await ask()),
      await changed({ userHandle: undefined }),
      await changed({ userHandle: Buffer.from('moderator:0').toString('base64url') }),
      await changed({ signature: '' }),
      await changed({ authenticatorData: 7 }),
      { ...(await right()), type: 'password' },
      { ...(await right()), rawId: 'x' },
      {},
    ];
    for (const credential of credentials) {
      const answer = await submit(credential);
      expect([answer.status, answer.body.code]).toEqual([403, 'PASSKEY_INVALID']);
    }
    expect(await sessionsOf(alias)).toBe(1);
    expect((await submit(await right())).status).toBe(200);
  });

  test('no response with one changed bit is accepted', async () => {
    const { authenticator, alias } = await signInModerator(app);
    type Part = 'authenticatorData' | 'signature' | 'clientDataJSON';
    const parts = async () => {
      const credential = authenticator.assert(await ask());
      return { credential, response: credential['response'] as Record<Part, string> };
    };
    const bytesOf = (text: string) => Buffer.from(text, 'base64url');
    let flips = 0;
    for (const part of ['authenticatorData', 'signature', 'clientDataJSON'] as const) {
      for (let at = 0; ; at += 1) {
        const { credential, response } = await parts();
        const bytes = bytesOf(response[part]);
        const place = part === 'signature' ? signatureBytes(bytes)[at] : at;
        if (place === undefined || place >= bytes.length) break;
        bytes[place] = (bytes[place] ?? 0) ^ (1 << (at % 8));
        const changed = { ...response, [part]: bytes.toString('base64url') };
        const answer = await submit({ ...credential, response: changed });
        expect([part, at, answer.status, answer.body.code]).toEqual([part, at, 403, 'PASSKEY_INVALID']);
        flips += 1;
      }
    }
    expect(flips).toBeGreaterThan(200);
    expect(await sessionsOf(alias)).toBe(1);
  });

  test('a counter that does not grow is refused, because the authenticator may be a copy', async () => {
    const alias = newAlias();
    const authenticator = createAuthenticator(app, { counter: 5 });
    await enrolModerator(app, await addModerator(app.features.moderation, alias, 'moderator'), authenticator);
    expect((await submit(authenticator.assert(await ask()))).status).toBe(200);
    const copy = authenticator.counter - 1;
    expect((await submit(authenticator.assert(await ask()))).status).toBe(200);
    const { counter } = await app.deps.databases.moderation
      .selectFrom('moderation.passkeys')
      .select('counter')
      .where('credentialId', '=', authenticator.credentialId)
      .executeTakeFirstOrThrow();
    expect(counter).toBe(BigInt(authenticator.counter));
    authenticator.counter = copy;
    expect((await submit(authenticator.assert(await ask()))).body.code).toBe('PASSKEY_INVALID');
  });

  test('a proof may come without the user, as some authenticators answer when they are asked for known passkeys', async () => {
    const asha = await signInModerator(app);
    const withoutUser = (credential: Record<string, unknown>) => {
      const { userHandle: _, ...response } = credential['response'] as Record<string, unknown>;
      return { ...credential, response };
    };
    expect((await submit(withoutUser(asha.authenticator.assert(await ask())))).body.code).toBe(
      'PASSKEY_INVALID',
    );
    const { options } = (await app.callMod(proveOptions, { as: asha })).body;
    const credential = withoutUser(asha.authenticator.assert(options));
    const proven = await app.callMod(prove, { as: asha, body: { credential } });
    expect([proven.status, proven.body.me?.isProven]).toEqual([200, true]);
    // One who is named must be the right one.
    const again = (await app.callMod(proveOptions, { as: asha })).body.options;
    const named = asha.authenticator.assert(again);
    const response = { ...(named['response'] as object), userHandle: 'bW9kZXJhdG9yOjA' };
    const wrong = await app.callMod(prove, { as: asha, body: { credential: { ...named, response } } });
    expect(wrong.body.code).toBe('PASSKEY_INVALID');
  });

  test('without Redis there is no challenge and no sign-in, and a session goes on', async () => {
    const asha = await signInModerator(app);
    const { second, redis } = await startBehindProxy(app);
    const options = (await second.callMod(signInOptions)).body.options;
    const credential = asha.authenticator.assert(options);
    await redis.refuse();
    const token = await addModerator(app.features.moderation, newAlias(), 'moderator');
    const answers = [
      await second.callMod(signInOptions),
      await second.callMod(signIn, { body: { credential } }),
      await second.callMod(enrolOptions, { body: { token } }),
      await second.callMod(proveOptions, { as: asha }),
    ];
    expect(answers.map(({ status, body }) => `${status} ${body.code}`)).toEqual(
      Array(4).fill('503 TEMPORARILY_UNAVAILABLE'),
    );
    expect(await sessionsOf(asha.alias)).toBe(1);
    expect((await second.callMod(getMe, { as: asha })).status).toBe(200);
  });
});

describe('a session', () => {
  const statusOf = async (as: { cookies: Map<string, string> }) => (await app.callMod(getMe, { as })).status;
  /** A call that no page makes by itself. */
  const use = async (as: { cookies: Map<string, string> }) =>
    (await app.callMod(proveOptions, { as })).status;

  test('ends after 30 minutes without a call', async () => {
    const asha = await signInModerator(app);
    for (let calls = 0; calls < 3; calls += 1) {
      app.clock.advance(29 * minute);
      expect(await use(asha)).toBe(200);
    }
    app.clock.advance(30 * minute);
    expect(await statusOf(asha)).toBe(401);
  });

  test('ends after 30 minutes also while a page that nobody looks at keeps asking', async () => {
    const asha = await signInModerator(app);
    for (let passed = 0; passed < 30; passed += 2) {
      expect(await statusOf(asha)).toBe(200);
      expect((await app.callMod(listCases, { as: asha, query: {} })).status).toBe(200);
      expect((await app.callMod(getMetrics, { as: asha })).status).toBe(200);
      app.clock.advance(2 * minute);
    }
    expect(await statusOf(asha)).toBe(401);
  });

  test('ends after ten hours, however busy it is, and its row is deleted', async () => {
    const asha = await signInModerator(app);
    for (let passed = 0; passed < 10 * hour - 20 * minute; passed += 20 * minute) {
      app.clock.advance(20 * minute);
      expect(await use(asha)).toBe(200);
    }
    app.clock.advance(20 * minute);
    expect(await statusOf(asha)).toBe(401);
    expect(await sessionsOf(asha.alias)).toBe(1);
    const job = app.features.jobs.find(({ name }) => name === 'purge-moderator-sessions');
    await job?.run();
    expect(await sessionsOf(asha.alias)).toBe(0);
  });

  test('writes when it was seen at most once a minute', async () => {
    const asha = await signInModerator(app);
    const writes = async (calls: number) => {
      const from = app.statements.length;
      for (let call = 0; call < calls; call += 1) await use(asha);
      return app.statements.slice(from).filter(({ text }) => text.startsWith('update')).length;
    };
    expect(await writes(3)).toBe(0);
    app.clock.advance(minute);
    expect(await writes(3)).toBe(1);
  });

  test('is stored as a hash of its token', async () => {
    const asha = await signInModerator(app);
    const token = asha.cookies.get('mod') ?? '';
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/u);
    const { rows } = await sql<{ row: string }>`select s::text as row from moderation.sessions as s`.execute(
      app.deps.databases.moderation,
    );
    const stored = rows.map(({ row }) => row).join('\n');
    for (const plain of [
      token,
      Buffer.from(token).toString('hex'),
      Buffer.from(token, 'base64url').toString('hex'),
    ])
      expect(stored).not.toContain(plain);
  });

  test('ends at once when the moderator is disabled, who cannot come back', async () => {
    const asha = await signInModerator(app);
    expect(await statusOf(asha)).toBe(200);
    const link = await renewEnrolment(app.features.moderation, asha.alias);
    await disableModerator(app.features.moderation, asha.alias);
    expect(await statusOf(asha)).toBe(401);
    await expect(signInAgain(app, asha)).rejects.toThrow('PASSKEY_INVALID');
    expect((await app.callMod(enrolOptions, { body: { token: link } })).body.code).toBe('ENROL_INVALID');
    await expect(renewEnrolment(app.features.moderation, asha.alias)).rejects.toThrow('no active moderator');
    await expect(addModerator(app.features.moderation, asha.alias, 'lead')).rejects.toThrow('already given');
    expect((await auditOf(asha.alias)).at(-1)).toBe('operator moderator_disabled');
  });

  test('of a lost device ends when the passkeys are replaced', async () => {
    const asha = await signInModerator(app);
    const token = await renewEnrolment(app.features.moderation, asha.alias, { isReplacing: true });
    expect(await statusOf(asha)).toBe(401);
    await expect(signInAgain(app, asha)).rejects.toThrow('PASSKEY_INVALID');
    const authenticator = await enrolModerator(app, token);
    await signInAgain(app, { ...asha, authenticator });
    expect(await statusOf(asha)).toBe(200);
  });

  test('that a lost device opens while its passkeys are replaced ends as well', async () => {
    const asha = await signInModerator(app);
    const owner = new pg.Client({ connectionString: app.config.databaseUrl });
    await owner.connect();
    onTestFinished(() => owner.end());
    // The sign-in has its session and waits for the audit log. The replacement starts then.
    await owner.query(`select pg_advisory_lock(hashtext('moderation.audit'))`);
    const signingIn = signInAgain(app, asha);
    await expectLockWaiters(owner, 1);
    const replacing = renewEnrolment(app.features.moderation, asha.alias, { isReplacing: true });
    await expectLockWaiters(owner, 2);
    await owner.query(`select pg_advisory_unlock(hashtext('moderation.audit'))`);
    await Promise.all([signingIn, replacing]);
    expect(await statusOf(asha)).toBe(401);
    expect(await sessionsOf(asha.alias)).toBe(0);
  });

  test('is a cookie that no script reads and no other site sends', async () => {
    const secure = await ownTestApp({ modOrigin: new URL('https://moderation.unsaid.example') });
    const asha = await signInModerator(secure);
    const { body } = await secure.callMod(signInOptions);
    const credential = asha.authenticator.assert(body.options);
    const answer = await secure.callMod(signIn, { body: { credential } });
    expect(answer.headers['set-cookie']).toMatch(
      /^__Host-mod=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=36000; HttpOnly; SameSite=Strict; Secure$/u,
    );
    const out = await secure.callMod(signOut, { as: asha });
    expect(out.headers['set-cookie']).toBe(
      '__Host-mod=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure',
    );
  });
});

describe('a call of the console', () => {
  /** With two calls that have roles, one of which needs a proof. */
  async function withRoles(): Promise<Pick<TestApp, 'callMod'>> {
    const second = await ownTestApp();
    Object.assign(second.features, {
      consoleBindings: [
        bindModerator(listAudit, async () => ({ entries: [], hasMore: false, brokenAt: null })),
        bindModerator(reverseCase, async () => {}),
      ],
    });
    return second;
  }

  test('needs one of its roles, and a passkey proof of the last ten minutes where it says so', async () => {
    const second = (await withRoles()) as TestApp;
    const [moderator, lead, auditor] = [
      await signInModerator(second, { role: 'moderator' }),
      await signInModerator(second, { role: 'lead' }),
      await signInModerator(second, { role: 'auditor' }),
    ];
    const audit = async (as: typeof lead) => (await second.callMod(listAudit, { as })).body.code ?? 'ok';
    const reverse = async (as: typeof lead) =>
      (await second.callMod(reverseCase, { as, params: { id: '1' }, body: { version: 0 } })).body.code ??
      'ok';
    expect([await audit(moderator), await audit(lead), await audit(auditor)]).toEqual([
      'ROLE_REQUIRED',
      'ok',
      'ok',
    ]);
    expect([await reverse(moderator), await reverse(lead), await reverse(auditor)]).toEqual([
      'ROLE_REQUIRED',
      'ok',
      'ROLE_REQUIRED',
    ]);
    second.clock.advance(10 * minute - 1);
    expect(await reverse(lead)).toBe('ok');
    second.clock.advance(1);
    expect([await reverse(lead), await audit(lead)]).toEqual(['PROOF_REQUIRED', 'ok']);
    await proveAgain(second, lead);
    expect(await reverse(lead)).toBe('ok');
  });

  test('is refused to strangers, to other roles, and without a proof, as the contract says', async () => {
    const roles = await Promise.all(moderatorRoles.map((role) => signInModerator(app, { role })));
    app.clock.advance(10 * minute);
    const codeOf = async (endpoint: Endpoint, as?: Actor) =>
      (await app.callMod(endpoint, { as, params: { id: '1' } } as never)).body.code;
    for (const endpoint of consoleEndpoints.filter(({ auth }) => auth !== 'public')) {
      expect([endpoint.path, await codeOf(endpoint)]).toEqual([endpoint.path, 'UNAUTHENTICATED']);
      for (const as of roles) {
        const isOpen = !endpoint.roles || endpoint.roles.includes(as.role);
        const refusal = isOpen ? 'PROOF_REQUIRED' : 'ROLE_REQUIRED';
        if (!isOpen || endpoint.needsProof)
          expect([endpoint.path, as.role, await codeOf(endpoint, as)]).toEqual([
            endpoint.path,
            as.role,
            refusal,
          ]);
      }
    }
  });

  test('comes from a page of the console, whatever the method', async () => {
    const asha = await signInModerator(app);
    const server = await app.modServer();
    const cookie = `mod=${asha.cookies.get('mod')}`;
    for (const { method, path } of consoleEndpoints) {
      for (const site of ['cross-site', 'same-site', 'none', undefined]) {
        const answer = await server.inject({
          method,
          url: path,
          headers: { cookie, ...(site ? { 'sec-fetch-site': site } : {}) },
        });
        expect([path, site, answer.statusCode, answer.json().code]).toEqual([path, site, 403, 'CROSS_SITE']);
      }
    }
    expect((await app.callMod(getMe, { as: asha })).status).toBe(200);
  });

  test('without a session is refused, and no token of a user is one', async () => {
    const user = await makeUser(app);
    const asha = await signInModerator(app);
    for (const as of [
      undefined,
      { token: user.token },
      { cookies: new Map([['mod', user.token]]) },
      { cookies: new Map([['mod', randomBytes(32).toString('base64url')]]) },
      { cookies: new Map([['__Host-mod', asha.cookies.get('mod') ?? '']]) },
      { token: asha.cookies.get('mod') ?? '' },
    ])
      expect((await app.callMod(getMe, { as })).body.code).toBe('UNAUTHENTICATED');
  });

  test('is not served to users, and no call of users to moderators', async () => {
    const asha = await signInModerator(app);
    for (const endpoint of consoleEndpoints) {
      const answer = await app.call(endpoint, { as: asha, params: { id: '1' } } as never);
      expect([endpoint.path, answer.status]).toEqual([endpoint.path, 404]);
    }
    expect((await app.call(getSelf, { as: asha })).status).toBe(401);
    const token = asha.cookies.get('mod') ?? '';
    expect((await app.call(getSelf, { as: { token } })).status).toBe(401);
    expect((await app.callMod(getSelf, { as: await makeUser(app) })).status).toBe(404);
  });

  test('cannot be registered for users by mistake, nor a call of users for moderators', async () => {
    const { deps, features } = app;
    for (const endpoint of [getMe, signIn]) {
      const binding = bindModerator(endpoint, (async () => {}) as never);
      await expect(buildApp(deps, { ...features, bindings: [binding] })).rejects.toThrow(endpoint.path);
    }
    for (const path of ['/api/mod/forgotten', '/api/elsewhere'] as const) {
      const binding = bindModerator({ ...getSelf, path }, (async () => {}) as never);
      await expect(buildModApp(deps, { ...features, consoleBindings: [binding] })).rejects.toThrow(path);
    }
  });

  test('is limited by session and by address', async () => {
    const strict = await ownTestApp({ limitsScale: 1 });
    const asha = await signInModerator(strict);
    const until = async (call: () => Promise<{ status: number }>) => {
      for (let calls = 0; calls <= 400; calls += 1) if ((await call()).status === 429) return calls;
      return Infinity;
    };
    expect(await until(() => strict.callMod(getMe, { as: asha }))).toBeLessThanOrEqual(300);
    const guesser = { ...newActor(), cookies: new Map([['mod', randomBytes(32).toString('base64url')]]) };
    expect(await until(() => strict.callMod(signInOptions, { as: guesser }))).toBeLessThanOrEqual(300);
    expect((await strict.callMod(getMe, { as: guesser })).status).toBe(429);
    expect((await strict.callMod(getMe, { as: { ...guesser, address: '203.0.113.77' } })).status).toBe(401);
  });
});

test('the pages of the console may use passkeys and open no live connection', async () => {
  const second = await ownTestApp({ modWebRoot: await makeWebRoot() });
  const server = await second.modServer();
  for (const url of ['/', '/cases/7']) {
    const page = await server.inject({ method: 'GET', url });
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toContain("connect-src 'self';");
    const opened = String(page.headers['permissions-policy'])
      .split(', ')
      .filter((entry) => !entry.endsWith('=()'));
    expect(opened).toEqual(['publickey-credentials-create=(self)', 'publickey-credentials-get=(self)']);
  }
  expect((await server.inject({ method: 'GET', url: '/readyz' })).statusCode).toBe(200);
  expect((await server.inject({ method: 'GET', url: '/dev/outbox', headers: {} })).body).toContain('<title>');
  expect((await server.inject({ method: 'GET', url: '/api/mod/none' })).json().code).toBe('NOT_FOUND');
});

describe('a process', () => {
  /** Prints the address of every module of the library that is loaded. */
  const watch = `import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) {
      if (url.includes('simplewebauthn')) process.stderr.write('loaded ' + url + '\\n');
      return next(url, context);
    } });`;

  async function start(services: string) {
    const modPort = await freePort();
    const server = await spawnServer({
      env: {
        NODE_ENV: 'test',
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(watch)}`,
        DATABASE_URL: app.config.databaseUrl,
        REDIS_URL: app.config.redisUrl,
        REDIS_CLUSTER: String(app.config.isRedisCluster),
        REDIS_PREFIX: app.config.redisPrefix,
        SERVICES: services,
        MOD_PORT: String(modPort),
      },
    });
    onTestFinished(() => server.stop('SIGKILL'));
    return { server, modOrigin: `http://127.0.0.1:${modPort}` };
  }

  test('with SERVICES=api does not load the passkey library or listen for moderators', async () => {
    const { server, modOrigin } = await start('api');
    await server.untilReady();
    expect(server.output()).not.toContain('loaded');
    expect(await isReady(modOrigin)).toBe(false);
  });

  test(
    'with SERVICES=mod alone serves moderators and no user',
    fullTier('Every console journey fails if moderators are not served.'),
    async () => {
      const { server, modOrigin } = await start('mod');
      await vi.waitUntil(() => isReady(modOrigin), { interval: 50, timeout: 60_000 });
      expect(server.output()).toContain('loaded');
      expect(await isReady(server.origin)).toBe(false);
      const answer = await fetch(`${modOrigin}${signInOptions.path}`, {
        method: 'POST',
        headers: { 'sec-fetch-site': 'same-origin' },
      });
      expect(answer.status).toBe(200);
    },
  );
});

describe('the command', () => {
  function run(...args: string[]) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [`${repo}server/src/bin/moderators.ts`, ...args],
      {
        env: {
          ...bareEnv,
          NODE_ENV: 'test',
          DATABASE_URL: second.config.databaseUrl,
          REDIS_URL: second.config.redisUrl,
          REDIS_CLUSTER: String(second.config.isRedisCluster),
          MOD_ORIGIN: 'https://moderation.unsaid.example',
        },
        encoding: 'utf8',
      },
    );
    return { status, stdout, stderr };
  }
  const second = useTestApp();

  test('adds, enrols, lists and disables, and warns below two active moderators', async () => {
    const added = run('add', 'asha', '--role', 'lead');
    expect(added.stderr).toContain('Warning: 0 active moderators');
    const token = /https:\/\/moderation\.unsaid\.example\/enrol#([A-Za-z0-9_-]{43})\n/u.exec(
      added.stdout,
    )?.[1];
    // The link of the command works with the real clock, which the test's clock does not follow.
    second.clock.advance(Date.now() - second.clock.now());
    await enrolModerator(second, token ?? '');
    await signInModerator(second);
    const listed = run('list');
    expect(listed.stdout).toContain('asha  lead  1 passkey\n');
    expect(listed.stderr).not.toContain('Warning');
    expect(run('disable', 'asha')).toMatchObject({ status: 0 });
    expect(run('list').stdout).toContain('asha  lead  disabled\n');
    const { rows } = await sql<{ action: string }>`
      select action from moderation.audit where actor = 'operator' and detail ->> 'alias' = 'asha' order by seq`.execute(
      second.deps.databases.moderation,
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'moderator_added',
      'enrolment_offered',
      'moderator_disabled',
    ]);
  });

  test(
    'says what is wrong, and changes nothing',
    fullTier('A command that explains itself worse harms nobody within a day.'),
    () => {
      for (const [args, reason] of [
        [['add', 'binu', '--role', 'boss'], '--role must be'],
        [['disable', 'nobody'], 'no active moderator'],
        [['list', '--all'], "Unknown option '--all'"],
      ] as const) {
        const { status, stderr } = run(...args);
        expect([args, status, stderr.includes(reason)]).toEqual([args, 1, true]);
      }
    },
  );
});

test('an alias has the shape of the column, and is no other actor of the audit log', async () => {
  for (const alias of ['Asha', 'a', '1asha', 'asha.b', '', 'a'.repeat(31), 'operator', 'author'])
    await expect(addModerator(app.features.moderation, alias, 'moderator'), alias).rejects.toThrow(
      'an alias has',
    );
});

test('severe texts that were revealed today, in India, count against the daily limit', async () => {
  const asha = await signInModerator(app);
  const left = async () => (await app.callMod(getMe, { as: asha })).body.me.severeLeft;
  const reveal = (severity: number) =>
    recordAudit(app.deps.databases.moderation, {
      at: new Date(app.clock.now()),
      actor: asha.alias,
      action: 'revealed',
      detail: { part: 'item', severity },
    });
  await reveal(2);
  expect(await left()).toBe(25);
  for (let texts = 0; texts < 30; texts += 1) await reveal(3 + (texts % 2));
  expect(await left()).toBe(0);
  const midnight = startOfDayInIndia(dayInIndia(app.clock.now() + 24 * hour));
  app.clock.advance(midnight - app.clock.now());
  await signInAgain(app, asha);
  expect(await left()).toBe(25);
  expect(await firstBroken()).toBeNull();
});

describe('somebody who was not added by the command', () => {
  const check = async (of = app) => {
    await runJobs(of.features.jobs.filter(({ name }) => name === 'roster-check'));
    const { values } = await moderationMetrics(of.deps.metrics).forgedModerators.get();
    return values[0]?.value;
  };

  test('is an entry in the audit log, once, and on the gauge until they are gone (R33)', async () => {
    const [genuine, planted] = [newAlias(), newAlias()];
    await addModerator(app.features.moderation, genuine, 'moderator');
    expect(await check()).toBe(0);
    await pool.query(`insert into moderation.moderators (alias, role) values ($1, 'lead')`, [planted]);
    expect(await check()).toBe(1);
    expect(await check()).toBe(1);
    expect(await auditOf(planted)).toEqual(['clock moderator_forged']);
    expect(await auditOf(genuine)).not.toContain('clock moderator_forged');
    await pool.query(`update moderation.moderators set role = 'lead' where alias = $1`, [genuine]);
    expect(await check()).toBe(2);
    expect(await auditOf(genuine)).toContain('clock moderator_forged');
    await pool.query(`update moderation.moderators set role = 'moderator' where alias = $1`, [genuine]);
    await pool.query(`delete from moderation.moderators where alias = $1`, [planted]);
    expect(await check()).toBe(0);
  });

  test('is found by a sealed row too, where the command wrote no entry', async () => {
    const alias = newAlias();
    const { rows } = await pool.query<{ id: number }>(
      `insert into moderation.moderators (alias, role) values ($1, 'lead') returning id`,
      [alias],
    );
    const row = {
      id: rows[0]?.id ?? 0,
      alias,
      role: 'lead',
      disabledOn: null,
      enrolKey: null,
      enrolUntil: null,
    } as const;
    await pool.query(`update moderation.moderators set seal = $2 where alias = $1`, [
      alias,
      sealModerator(app.deps.seals, { ...row, seal: null }).seal,
    ]);
    expect(await check()).toBe(1);
    await pool.query(`delete from moderation.moderators where alias = $1`, [alias]);
  });
});

test('with the login of api and worker, people report and every job runs, and nobody can be added or signed in (R33)', async () => {
  const api = await startBeside(app, { services: new Set(['api', 'worker']) });
  onTestFinished(() => api.close());
  const [author, reader] = [await makeUser(api), await makeUser(api)];
  const vent = await makeVent(api, author);
  const said = await api.call(reportVent, { as: reader, body: { ventId: vent.id, reason: 'Spam' } });
  expect(said.status, said.text).toBeLessThan(300);
  await runJobs(api.features.jobs);
  await expect(addModerator(api.features.moderation, newAlias(), 'lead')).rejects.toMatchObject({
    code: '42501',
  });
});
