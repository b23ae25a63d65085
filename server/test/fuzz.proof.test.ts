import { randomBytes } from 'node:crypto';
import {
  acceptMatch,
  changeNumber,
  closeAllVents,
  confirmRecoveryCode,
  deleteAccount,
  exportData,
  deleteComment,
  deleteVent,
  endpoints,
  isAnswerFilled,
  errorKinds,
  logout,
  matchSuggestions,
  makeRecoveryCode,
  reauthenticate,
  recoverAccount,
  rejectMatch,
  requestOtp,
  revokeSession,
  setVentComments,
  ventsSince,
  verifyOtp,
  type Endpoint,
  type ErrorCode,
  partMatch,
  withdrawMatch,
} from '@unsaid/contract';
import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Viewer } from '../src/kernel/viewer.ts';
import { newActor, useTestApp } from './app.ts';
import {
  makeComment,
  makePhone,
  makeUser,
  makeValidCode,
  makeVent,
  markConfirmed,
  suspend,
  type Person,
} from './factories.ts';
import { runs, seed } from './runs.ts';

/**
 * Sends generated requests to every call of the contract: values that its schemas describe, and values that they do
 * not. The schema that the server parses with also decides here what must be rejected, so that neither is taken on
 * trust. FUZZ_CASES sets the total number of requests.
 */
const cases = runs('FUZZ_CASES', { change: 400, full: 3000 });
/** A call that takes nothing has little to get wrong. */
const hasInput = ({ params, query, body }: Endpoint) => Boolean(params ?? query ?? body);
const shares = new Map(endpoints.map((endpoint) => [endpoint, hasInput(endpoint) ? 6 : 1]));
const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, one) => total + one, 0);
const casesOf = (endpoint: Endpoint) =>
  Math.ceil((cases * (shares.get(endpoint) ?? 1)) / sum(shares.values()));

const app = useTestApp({ limitsScale: 1_000_000 });

async function viewerOf({ token }: Person): Promise<Viewer> {
  const viewer = await app.features.sessions.authenticate(token, { skipCache: true });
  if (!viewer) throw new Error('no session');
  return viewer;
}

// Requests -----------------------------------------------------------------------------------------------

/** Placeholders for existing objects, resolved when the request is made. */
const real = [
  'own vent',
  'vent of another',
  'closed vent',
  'deleted vent',
  'own comment',
  'comment of another',
  'own user',
  'other user',
  'own session',
  'other session',
  'own match',
  'answered match',
  'closed match',
  'match of others',
  'own phone',
  'new phone',
  'code',
  'recovery code',
  'recovery proof',
  'own cursor',
  'cursor of another',
] as const;
type Real = (typeof real)[number];
const placeholderOf = (name: Real) => `«${name}»`;
const placeholders = (...names: Real[]) => fc.constantFrom(...names.map(placeholderOf));

const nasty = fc.constantFrom(
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\uD800',
  'x\uDFFFy',
  '\uFFFE',
  '\u202Egnp.exe',
  '\u200B\u200B',
  '\u2800',
  '__proto__',
  'constructor',
  "' or 1=1; drop table content.vents; --",
  "'':* & ! | ( ) <-> \\",
  '#',
  '##𝔣𝔲𝔷𝔷',
  '%00',
  '%',
  '${7*7}',
  '<script>alert(1)</script>',
  'null',
  '-1',
  '1e3',
  '9999999999999999999999',
  'é'.normalize('NFD'),
  `a${'\u0301'.repeat(200)}`,
  '👨‍👩‍👧‍👦',
  'नमस्ते दुनिया',
  'ക്‍ഷ',
  'می‌خواهم',
);
const long = fc
  .tuple(fc.constantFrom('a', 'न', '𝔣', '\u0301', ' ', '\n', "'", 'ﷺ'), fc.nat(9000))
  .map(([sign, times]) => sign.repeat(times));
const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme', maxLength: 60 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 2, arbitrary: nasty },
  { weight: 1, arbitrary: long },
  { weight: 1, arbitrary: fc.tuple(fc.string({ unit: 'grapheme' }), nasty).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: placeholders(...real) },
);
const plainText = fc.constantFrom('tired again', 'आज फिर नींद नहीं आई', 'Kal exam hai', 'it is heard', 'ok 👍🏽');
const forged = fc
  .uint8Array({ minLength: 16, maxLength: 16 })
  .map((bytes) => Buffer.from(bytes).toString('base64url'));

/** Typical values of a field by its name: without them, few requests would pass the first check. */
const likely: Record<string, Arbitrary<string>> = {
  ventId: placeholders('own vent', 'vent of another', 'closed vent', 'deleted vent'),
  commentId: placeholders('own comment', 'comment of another'),
  matchId: placeholders('own match', 'answered match', 'closed match', 'match of others', 'own user'),
  before: placeholders('own vent', 'vent of another', 'deleted vent', 'own comment', 'comment of another'),
  phone: fc.oneof(placeholders('own phone', 'new phone'), fc.stringMatching(/^\+?[0-9]{6,14}$/u)),
  otp: placeholders('code'),
  code: placeholders('recovery code'),
  recoveryCode: placeholders('recovery code'),
  proof: placeholders('recovery proof'),
  newUsername: fc.stringMatching(/^[A-Za-z0-9_]{1,20}$/u),
  reason: fc.constantFrom('Spam', 'Harassment', 'Other: it names my school', 'Other: '),
  cursor: placeholders('own cursor', 'cursor of another'),
  page: fc.constantFrom('1', '2', '10', '1000', '1001'),
  limit: fc.constantFrom('1', '5', '100', '101'),
};
const idOf: Record<string, Arbitrary<string>> = {
  session: placeholders('own session', 'other session'),
  user: placeholders('own user', 'other user'),
  vent: likely['ventId'] as Arbitrary<string>,
};

interface JsonSchema {
  readonly type?: string;
  readonly properties?: Record<string, JsonSchema>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
}

const knownKeywords = new Set(
  'type properties required items enum const pattern maxLength maxItems anyOf oneOf minimum maximum $schema'.split(
    ' ',
  ),
);

/** Values that a JSON Schema describes. An unknown keyword fails the test, so that no field is left out silently. */
function valueOf(schema: JsonSchema, name = '', endpoint?: Endpoint): Arbitrary<unknown> {
  const unknown = Object.keys(schema).filter((keyword) => !knownKeywords.has(keyword));
  if (unknown.length > 0) throw new Error(`the fuzzer does not know ${unknown.join(', ')}`);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return fc.oneof(...variants.map((one) => valueOf(one, name, endpoint)));
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'object': {
      const shape = Object.entries(schema.properties ?? {}).map(([key, value]) => [
        key,
        valueOf(value, key, endpoint),
      ]);
      const requiredKeys = [...(schema.required ?? [])] as never[];
      const made = fc.record(Object.fromEntries(shape) as Record<string, Arbitrary<unknown>>, {
        requiredKeys,
      });
      // A random proof of work is always wrong, and then the rest of the call is not reached.
      return fc
        .tuple(made, fc.nat(3))
        .map(([value, chance]) =>
          chance === 0 ? value : Object.fromEntries(Object.entries(value).filter(([key]) => key !== 'pow')),
        );
    }
    case 'array':
      return fc.array(valueOf(schema.items ?? {}, name, endpoint), {
        maxLength: Math.min(schema.maxItems ?? 5, 45),
      });
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return fc.integer({
        min: Math.max(schema.minimum ?? -10, -10),
        max: Math.min(schema.maximum ?? 1000, 1000),
      });
    case 'null':
      return fc.constant(null);
    case 'string': {
      const lengths = { maxLength: Math.min(schema.maxLength ?? 40, 3000) };
      const own =
        name === 'id' && endpoint
          ? idOf[/sessions|user|vent/u.exec(endpoint.path)?.[0].replace(/s$/u, '') ?? '']
          : likely[name];
      return fc.oneof(
        {
          weight: 6,
          arbitrary: own ?? (schema.pattern ? fc.stringMatching(new RegExp(schema.pattern, 'u')) : plainText),
        },
        {
          weight: 1,
          arbitrary:
            name.toLowerCase().endsWith('id') || name === 'before'
              ? forged
              : fc.string({ ...lengths, unit: 'grapheme' }),
        },
        { weight: 1, arbitrary: anyText },
      );
    }
    case undefined:
    default:
      throw new Error(`the fuzzer does not know the type ${String(schema.type)}`);
  }
}

const anyJson = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  anyText,
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e308, [], {}, [[]], [null], { $gt: '' }, { length: 1e9 }),
);

/** One change: a key removed, replaced or added, or the whole value wrapped or replaced. */
function mutate(valid: Arbitrary<unknown>): Arbitrary<unknown> {
  const extraKey = fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'userId',
    'authorKey',
    'state',
    'createdAt',
    '',
    'a.b',
    '\u0000',
  );
  return fc.tuple(valid, fc.nat(6), fc.nat(9), anyJson, extraKey).map(([value, way, pick, other, key]) => {
    if (typeof value !== 'object' || value === null) return other;
    const entries = Object.entries(value);
    const at = pick % Math.max(1, entries.length);
    if (way === 0) return Object.fromEntries(entries.filter((_, index) => index !== at));
    if (way <= 2)
      return Object.fromEntries(entries.map(([name, old], index) => [name, index === at ? other : old]));
    // Through JSON, so that __proto__ is an own key, as it would arrive.
    if (way <= 4)
      return JSON.parse(
        `{${[...entries, [key, other]].map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join(',')}}`,
      );
    if (way === 5) return [value];
    return other;
  });
}

const rawBody = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '{',
    '{"a":',
    'nul',
    '[]]',
    '{"a":1}{"a":2}',
    '\uFEFF{}',
    '"',
    '{"ventId":"x","ventId":"y"}',
    'a=b&c=d',
    '<xml/>',
  ),
  fc.nat(6000).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.integer({ min: 30_000, max: 80_000 }).map((length) => JSON.stringify({ text: 'x'.repeat(length) })),
  fc.string({ unit: 'binary-ascii' }),
);
const rawQuery = fc.oneof(
  fc.constantFrom(
    '%',
    '%zz',
    '%00',
    'page=%00',
    'query=%00',
    'query=a%00b',
    'mine=true&query=a%00b',
    'query=%ED%A0%80',
    'query=%FF%FE',
    'page=1&page=2',
    'page[]=1',
    'page[a]=1',
    'query[]=a&query[]=b',
    '__proto__[x]=1',
    'constructor=1',
    '&&&===&',
    'sort=recent;page=2',
    'page=%31&limit=+5',
    'before=',
    'mine=TRUE',
    'limit=0x10',
  ),
  fc
    .constantFrom('न', '𝔣', 'é', "'", '\\')
    .chain((sign) =>
      fc.integer({ min: 1, max: 1300 }).map((times) => `query=${encodeURIComponent(sign.repeat(times))}`),
    ),
  fc.integer({ min: 8000, max: 9000 }).map((length) => `query=${'q'.repeat(length)}`),
  fc.string({ maxLength: 40 }).map((text) => encodeURI(text.replaceAll('#', '')).slice(0, 200)),
);
/** Raw path segments; those that would lead to another call are left out. */
const rawParam = fc.oneof(
  fc.constantFrom(
    '%',
    '%zz',
    '%00',
    '%FF',
    '%2F',
    '%2e%2e%2f',
    'a'.repeat(65),
    'a'.repeat(5000),
    '0',
    '-1',
    'null',
    '*',
    '%C0%AF',
    '__proto__',
  ),
  forged,
);

interface Case {
  readonly params: { readonly values: unknown } | { readonly raw: string };
  readonly query: { readonly values: unknown } | { readonly raw: string };
  readonly body: { readonly value: unknown } | { readonly raw: string } | null;
  readonly contentType: string | undefined;
  readonly who: 'a member' | 'anonymous' | 'a forged token' | 'a suspended member' | 'a malformed token';
  readonly headers: Record<string, string>;
}

function caseOf(endpoint: Endpoint): Arbitrary<Case> {
  const valid = (part: 'params' | 'query' | 'body'): Arbitrary<unknown> => {
    const schema = endpoint[part];
    if (!schema) return fc.constant({});
    return valueOf(
      z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema,
      '',
      endpoint,
    );
  };
  const path = fc.oneof(
    { weight: 8, arbitrary: valid('params').map((values) => ({ values })) },
    { weight: endpoint.params ? 1 : 0, arbitrary: rawParam.map((raw) => ({ raw })) },
  );
  const query = fc.oneof(
    { weight: 6, arbitrary: valid('query').map((values) => ({ values })) },
    { weight: 1, arbitrary: rawQuery.map((raw) => ({ raw })) },
  );
  const body = fc.oneof(
    { weight: endpoint.body ? 7 : 1, arbitrary: valid('body').map((value) => ({ value })) },
    { weight: endpoint.body ? 4 : 1, arbitrary: mutate(valid('body')).map((value) => ({ value })) },
    { weight: 1, arbitrary: rawBody.map((raw) => ({ raw })) },
    { weight: endpoint.body ? 1 : 8, arbitrary: fc.constant(null) },
  );
  const contentType = fc.oneof(
    { weight: 10, arbitrary: fc.constant('application/json') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        undefined,
        '',
        'application/json; charset=utf-8',
        'application/json; charset=utf-16',
        'application/json, text/plain',
        'APPLICATION/JSON',
        'text/plain',
        'text/json',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/octet-stream',
        ';;;',
      ),
    },
  );
  const headers = fc.record(
    {
      'idempotency-key': fc.constantFrom(
        '',
        'short',
        'a-good-key-of-a-client',
        'x'.repeat(64),
        'x'.repeat(65),
        "' or 1=1",
        '0'.repeat(4000),
      ),
      cookie: fc.constantFrom(
        '=',
        ';;;',
        'otp=',
        'otp=AAAAAAAAAAAAAAAA',
        `dev=${'A'.repeat(3000)}`,
        'dev=%00; dev=..',
        '__Host-otp="x',
      ),
      'sec-fetch-site': fc.constantFrom('same-origin', 'same-site', 'cross-site', 'none', '???'),
      origin: fc.constantFrom('null', 'https://elsewhere.example', 'http://localhost:3000'),
      'user-agent': fc.constantFrom('', 'Mozilla/5.0 (Linux; Android 14) Chrome/126', 'x'.repeat(4000)),
      accept: fc.constantFrom('text/html', 'application/xml', ''),
      'accept-encoding': fc.constantFrom('br', 'gzip;q=x', '*'),
      'x-forwarded-for': fc.constantFrom('127.0.0.1', '::1', 'unknown, 1.2.3.4', "'"),
      'x-request-id': fc.constantFrom('mine', '\u00E9'),
      'x-http-method-override': fc.constantFrom('DELETE', 'PUT'),
    },
    { requiredKeys: [] },
  );
  const who = fc.oneof(
    { weight: 12, arbitrary: fc.constant('a member' as const) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('anonymous', 'a forged token', 'a suspended member', 'a malformed token'),
    },
  );
  return fc.record({
    params: path,
    query,
    body,
    contentType,
    who,
    headers: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: headers }),
  });
}

// Callers and their objects ---------------------------------------------------------------------------

/** An account with objects to act on; those that a call uses up are created again. */
interface World {
  me: Person;
  suspended: Person;
  readonly values: Record<Real, string>;
}

async function makeWorld(): Promise<World> {
  const [me, other] = [await makeUser(app), await makeUser(app)];
  const closer = await makeUser(app);
  const closed = await makeVent(app, closer, { allowComments: false });
  const theirs = await makeVent(app, other);
  const deleted = await makeVent(app, me);
  await app.call(deleteVent, { as: me, params: { id: deleted.id } });
  const values = {
    'vent of another': theirs.id,
    'closed vent': closed.id,
    'deleted vent': deleted.id,
    'other user': other.user._id,
    'other session': app.deps.publicIds.session.encode((await viewerOf(other)).sessionId),
    'comment of another': await makeComment(app, other, theirs.id),
    'match of others': (await suggestionsOf(other))[0] ?? '',
    'new phone': makePhone(),
    'cursor of another': await cursorOf(other),
  } as Record<Real, string>;
  const world = { me, suspended: await makeSuspended(), values };
  await renewObjects(world);
  return world;
}

async function makeSuspended(): Promise<Person> {
  const person = await makeUser(app);
  await suspend(app, person);
  return person;
}

const cursorOf = async (as: Person) => (await app.call(ventsSince, { as, query: {} })).body.cursor;

const suggestionsOf = async (as: Person) =>
  (await app.call(matchSuggestions, { as })).body.matches.map(({ _id }) => _id);

/** Creates the caller's own objects again. */
async function renewObjects(world: World): Promise<void> {
  const { me, values } = world;
  const vent = await makeVent(app, me);
  Object.assign(values, {
    'own vent': vent.id,
    'own comment': await makeComment(app, me, vent.id),
    'own user': me.user._id,
    'own session': app.deps.publicIds.session.encode((await viewerOf(me)).sessionId),
    'own phone': me.phone,
    'own cursor': await cursorOf(me),
  });
  await renewMatches(world);
}

async function renewMatches({ me, values }: World): Promise<void> {
  const [first = '', second = '', third = ''] = await suggestionsOf(me);
  await app.call(acceptMatch, { as: me, body: { matchId: second } });
  await app.call(rejectMatch, { as: me, body: { matchId: third } });
  Object.assign(values, {
    'own match': first,
    ...(second ? { 'answered match': second } : {}),
    ...(third ? { 'closed match': third } : {}),
  });
}

/** Sets up what a call needs to succeed. */
async function prepare(endpoint: Endpoint, world: World): Promise<void> {
  if (endpoint === requestOtp) world.values['new phone'] = makePhone();
  if (endpoint === recoverAccount) {
    world.values['recovery code'] = await makeValidCode(app, await makeUser(app));
  }
  if (endpoint === verifyOtp || endpoint === reauthenticate || endpoint === changeNumber) {
    // The third code in a row has a cooldown.
    app.clock.advance(31_000);
    const purpose = endpoint === reauthenticate ? 'reauth' : endpoint === changeNumber ? 'change' : 'signin';
    const phone = purpose === 'reauth' ? world.me.phone : makePhone();
    world.values['own phone'] = phone;
    if (purpose === 'change') world.values['new phone'] = phone;
    const sent = app.deps.outbox.recent().length === 0 ? null : app.deps.outbox.recent()[0];
    await app.call(requestOtp, { as: newActor(), body: { phone, purpose } });
    await expect.poll(() => app.deps.outbox.recent()[0] !== sent, { interval: 1 }).toBe(true);
    world.values.code = await app.codeFor(phone);
  }
  if (endpoint === exportData) await markConfirmed(app, world.me);
  if (endpoint === deleteAccount || endpoint === changeNumber) {
    await app.features.sessions.markReauthenticated(await viewerOf(world.me));
    world.values['recovery code'] = await makeValidCode(app, world.me);
  }
  if (endpoint === confirmRecoveryCode) {
    await markConfirmed(app, world.me);
    world.values['recovery proof'] = (await app.call(makeRecoveryCode, { as: world.me })).body.proof;
  }
}

async function restore(endpoint: Endpoint, world: World): Promise<void> {
  const endsMe = new Set<Endpoint>([logout, deleteAccount, revokeSession, recoverAccount]);
  const usesUp = new Set<Endpoint>([deleteVent, deleteComment, setVentComments, closeAllVents]);
  if (endsMe.has(endpoint)) {
    world.me = await makeUser(app);
    world.suspended = await makeSuspended();
  }
  if (endsMe.has(endpoint) || usesUp.has(endpoint)) await renewObjects(world);
  const answers = new Set<Endpoint>([acceptMatch, rejectMatch, withdrawMatch, partMatch]);
  if (answers.has(endpoint)) await renewMatches(world);
}

function resolve<T>(value: T, world: World): T {
  if (typeof value === 'string') {
    return value.replace(/«([a-z ]+)»/gu, (whole, name: Real) => world.values[name] ?? whole) as T;
  }
  if (Array.isArray(value)) return value.map((item) => resolve(item, world)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item, world)])) as T;
}

// Responses ----------------------------------------------------------------------------------------------

/** Transport errors: any caller may get them before the call itself is reached. */
const transportErrors: ErrorCode[] = [
  'BAD_REQUEST',
  'URI_TOO_LONG',
  'CROSS_SITE',
  'UNSUPPORTED_MEDIA_TYPE',
  'BODY_TOO_LARGE',
];

interface Sent {
  readonly url: string;
  readonly parts: Record<'params' | 'query' | 'body', unknown>;
  /** The transport was not changed, so the schemas alone decide whether the request is accepted. */
  readonly isClean: boolean;
  readonly isParamRaw: boolean;
}

function compose(endpoint: Endpoint, input: Case, world: World): Sent & { payload: string | undefined } {
  const params =
    'values' in input.params ? (resolve(input.params.values, world) as Record<string, string>) : {};
  const raw = 'raw' in input.params ? input.params.raw : null;
  const path = endpoint.path.replace(/:([a-z]+)/giu, (_, name: string) =>
    raw === null ? encodeURIComponent((params[name] ?? '').toWellFormed()) : raw,
  );
  const values =
    'values' in input.query ? (resolve(input.query.values, world) as Record<string, string>) : {};
  const wellFormed = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, value.toWellFormed()]),
  );
  const query = 'raw' in input.query ? input.query.raw : new URLSearchParams(wellFormed).toString();
  const body = input.body && 'value' in input.body ? resolve(input.body.value, world) : undefined;
  const payload =
    input.body && 'raw' in input.body
      ? input.body.raw
      : body === undefined
        ? undefined
        : JSON.stringify(body);
  const arrived = Object.fromEntries(
    Object.entries(params).map(([key, value]) => [key, value.toWellFormed()]),
  );
  // A client resolves "." and ".." before it sends: the path is that of another route.
  const isShort = Object.values(arrived).every(
    (value) => value.length > 0 && value.length <= 64 && !/^\.{1,2}$/u.test(value),
  );
  const url = query ? `${path}?${query}` : path;
  return {
    url,
    payload,
    parts: { params: arrived, query: wellFormed, body: payload ? JSON.parse(safeJson(payload)) : undefined },
    isParamRaw: raw !== null || !isShort,
    isClean:
      raw === null &&
      isShort &&
      url.length <= 8192 &&
      'values' in input.query &&
      !(input.body && 'raw' in input.body) &&
      input.contentType === 'application/json' &&
      Buffer.byteLength(payload ?? '') <= (endpoint.maxBodyBytes ?? 32 * 1024) &&
      input.headers['sec-fetch-site'] !== 'cross-site',
  };
}

function safeJson(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return 'null';
  }
}

function tokenOf(who: Case['who'], { me, suspended }: World): string | undefined {
  if (who === 'anonymous') return undefined;
  if (who === 'a forged token') return `Bearer uns_${randomBytes(38).toString('base64url')}`;
  if (who === 'a malformed token') return `Bearer ${me.token} `.replace('uns_', 'uns-');
  return `Bearer ${who === 'a member' ? me.token : suspended.token}`;
}

const counts = new Map<Endpoint, Map<string, number>>();

async function sendCase(endpoint: Endpoint, input: Case, world: World): Promise<void> {
  await prepare(endpoint, world);
  const sent = compose(endpoint, input, world);
  const authorization = tokenOf(input.who, world);
  const answer = await app.server.inject({
    method: endpoint.method,
    url: sent.url,
    remoteAddress: '203.0.113.77',
    ...(sent.payload === undefined ? {} : { payload: sent.payload }),
    headers: {
      ...input.headers,
      ...(authorization === undefined ? {} : { authorization }),
      ...(sent.payload === undefined || input.contentType === undefined
        ? {}
        : { 'content-type': input.contentType }),
    },
  });
  const { statusCode: status, payload: text, headers } = answer;
  const story = `${endpoint.method} ${sent.url.slice(0, 300)} ${(sent.payload ?? '').slice(0, 300)}\n→ ${status} ${text.slice(0, 500)}`;

  expect(status, story).toBeLessThan(500);
  expect(headers['content-type'], story).toBe('application/json; charset=utf-8');
  expect(headers['x-content-type-options'], story).toBe('nosniff');
  const body = JSON.parse(text) as Record<string, unknown>;
  // Only a path that cannot be read or that has no route is answered by none of its rules.
  const isRouted = isReadable(sent.url) && (body['code'] !== 'NOT_FOUND' || text.length > 1024);
  const isPadded = isAnswerFilled(endpoint) && isRouted;
  const isCached = endpoint.cacheSeconds !== undefined && status < 300;
  const stored = isCached ? `public, max-age=${endpoint.cacheSeconds}` : 'no-store';
  expect(headers['cache-control'], story).toBe(isPadded ? 'no-store, no-transform' : stored);
  const byStatus = counts.get(endpoint) ?? new Map<string, number>();
  const outcome = status < 300 ? String(status) : `${status} ${String(body['code'])}`;
  counts.set(endpoint, byStatus.set(outcome, (byStatus.get(outcome) ?? 0) + 1));

  if (status < 400) checkSuccess(endpoint, input, sent, status, body, story);
  else checkError(endpoint, input, sent, status, body, story);
  if (status < 300) await restore(endpoint, world);
}

function isReadable(url: string): boolean {
  try {
    return decodeURI(url.split('?')[0] ?? '') !== '';
  } catch {
    return false;
  }
}

/** Whether the call's own schemas accept the request. */
function isValid(endpoint: Endpoint, { parts }: Sent): boolean {
  return (['params', 'query', 'body'] as const).every((part) => {
    const schema = endpoint[part];
    return !schema || schema.safeParse(part === 'body' ? (parts.body ?? {}) : parts[part]).success;
  });
}

function checkSuccess(
  endpoint: Endpoint,
  { who }: Case,
  sent: Sent,
  status: number,
  body: object,
  story: string,
): void {
  expect(status, story).toBe(endpoint.status ?? 200);
  if (endpoint.auth !== 'public') {
    const isOpen = who === 'a member' || (who === 'a suspended member' && endpoint.isOpenToSuspended);
    expect(isOpen, `access without a session: ${story}`).toBe(true);
  }
  if (sent.isClean) expect(isValid(endpoint, sent), `its schema rejects it: ${story}`).toBe(true);
  // Allow-list: fields that parsing drops must not leave the server.
  expect(endpoint.response.parse(body), story).toEqual(body);
}

function checkError(
  endpoint: Endpoint,
  { who }: Case,
  sent: Sent,
  status: number,
  body: Record<string, unknown>,
  story: string,
): void {
  const { success, message, code, requestId, fields, proof, opensAt, ...others } = body;
  expect(others, story).toEqual({});
  expect(proof !== undefined, story).toBe(code === 'NO_ACCOUNT_YET');
  expect(opensAt !== undefined, story).toBe(code === 'RECOVERY_WAITS');
  expect(success, story).toBe(false);
  expect(requestId, story).toMatch(/^[\w-]{12}$/u);
  const allowed: ErrorCode[] = [
    ...transportErrors,
    ...(endpoint.errors ?? []),
    ...(endpoint.params || endpoint.query || endpoint.body ? (['VALIDATION_FAILED'] as const) : []),
    ...(sent.isParamRaw ? (['NOT_FOUND'] as const) : []),
    ...(endpoint.auth === 'public' ? [] : (['UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'] as const)),
  ];
  expect(allowed, story).toContain(code);
  const kind = errorKinds[code as ErrorCode];
  expect(status, story).toBe(kind.status);
  const isInvalid = code === 'VALIDATION_FAILED';
  expect(message, story).toBe(isInvalid ? (endpoint.invalidMessage ?? kind.message) : kind.message);
  if (isInvalid || code === 'IDENTIFYING_DETAILS') {
    expect(
      z
        .array(z.strictObject({ path: z.string(), rule: z.string() }))
        .min(1)
        .max(20)
        .safeParse(fields).success,
      story,
    ).toBe(true);
  } else expect(fields, story).toBeUndefined();
  if (!sent.isClean) return;
  if (endpoint.auth !== 'public' && who !== 'a member') {
    const isSuspended = who === 'a suspended member';
    if (!isSuspended) expect(code, story).toBe('UNAUTHENTICATED');
    else if (!endpoint.isOpenToSuspended) expect(code, story).toBe('ACCOUNT_SUSPENDED');
    return;
  }
  expect(code, story).not.toBe('UNAUTHENTICATED');
  expect(transportErrors, story).not.toContain(code);
  expect(isInvalid, `its schema says otherwise: ${story}`).toBe(!isValid(endpoint, sent));
}

describe(`${sum(endpoints.map(casesOf))} requests made from the contract's schemas, seed ${seed}:`, () => {
  test.each(endpoints.map((endpoint) => ({ name: `${endpoint.method} ${endpoint.path}`, endpoint })))(
    '$name returns no 5xx, and a response or an error that the contract describes',
    async ({ name, endpoint }) => {
      const world = await makeWorld();
      await fc.assert(
        fc.asyncProperty(caseOf(endpoint), (input) => sendCase(endpoint, input, world)),
        { numRuns: casesOf(endpoint), seed, endOnFailure: false },
      );
      const outcomes = [...(counts.get(endpoint) ?? [])].toSorted((a, b) => b[1] - a[1]);
      const table = outcomes.map(([outcome, times]) => `${times} × ${outcome}`).join(', ');
      if (process.env['FUZZ_TELL']) console.log(`${name}: ${table}`);
      // Requests that are never accepted test nothing. With fewer cases, all may be rejected by chance.
      if (casesOf(endpoint) >= 100) expect(table, name).toMatch(/× 20[01]\b/u);
    },
  );

  // About a third is. Of a few cases of one call all may be rejected by chance, of all calls together they are not.
  test('a tenth of the requests at least is accepted', () => {
    const outcomes = [...counts.values()].flatMap((byOutcome) => [...byOutcome]);
    const accepted = outcomes.filter(([outcome]) => /^20[01]\b/u.test(outcome)).map(([, times]) => times);
    expect(sum(accepted)).toBeGreaterThan(cases / 10);
  });
});
