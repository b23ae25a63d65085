import { hash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  changeUsername,
  commentOnVent,
  createReport,
  createVent,
  deleteAccount,
  type Endpoint,
  endpoints,
  getSelf,
  listNotices,
  listSessions,
  matchSuggestions,
  react,
  recoverAccount,
  setMutes,
  thankForComment,
  updateDetails,
} from '@unsaid/contract';
import {
  consoleEndpoints,
  enrolOptions,
  getMe,
  type ModeratorRole,
} from '@unsaid/contract/moderation/console';
import pg from 'pg';
import { makeSessionToken } from '../src/identity/sessions/authenticate.ts';
import type { Keys } from '../src/platform/crypto/keys.ts';
import { randomRecoveryCode } from '../src/identity/recovery/recovery-code.ts';
import { schemaNames, type DatabaseRole } from '../src/db/schemas.ts';
import { renewEnrolment } from '../src/moderation/moderators/staff.ts';
import { newActor, type Actor, type Answer, type TestApp } from './app.ts';
import { signInAgain, signInModerator, type SignedInModerator } from './authenticator.ts';
import { makeDecision } from './decisions.ts';
import {
  keysOf,
  makePhone,
  makeValidCode,
  makeVent,
  markConfirmed,
  signIn,
  suspend,
  type Person,
} from './factories.ts';
import { listTables } from './tables.ts';

/**
 * The world of the injection proof: a victim and an attacker who did the same things, a snapshot to go back to, and
 * everything that the attacker can call afterwards.
 */

type Row = Record<string, unknown>;

/** What one person leaves in every schema. The words are unique, so that a response with one of them shows whose it is. */
interface Life {
  readonly person: Person;
  readonly moderator: SignedInModerator;
  /** A link that is still valid. */
  readonly enrolToken: string;
  readonly code: string;
  readonly ids: Record<string, string>;
  readonly words: readonly string[];
}

/** What an attacker holds: real proofs of their own, and secrets that no row was made for. */
export interface Secrets {
  readonly token: string;
  readonly consoleToken: string;
  readonly code: string;
  readonly enrolToken: string;
}

export const drawSecrets = (keys: Keys): Secrets => ({
  // Of a session of their own, which has ended.
  token: makeSessionToken(keys),
  consoleToken: randomBytes(32).toString('base64url'),
  code: randomRecoveryCode(),
  enrolToken: randomBytes(32).toString('base64url'),
});

/** A secret as code with a plain hash would store it. */
export const plainHashes = ({ code, ...secrets }: Secrets): Buffer[] =>
  [...Object.values(secrets as Record<string, string>), code.replaceAll('-', '')].map((secret) =>
    hash('sha256', secret, 'buffer'),
  );

const word = (name: string, what: string) =>
  `${what} zq${name}q${randomBytes(3).toString('hex').replaceAll(/\d/gu, 'x')}`;

export async function live(
  app: TestApp,
  name: string,
  { role, stranger }: { readonly role: ModeratorRole; readonly stranger: Person },
): Promise<Life> {
  const person = await signIn(app);
  const said = Object.fromEntries(
    ['title', 'text', 'comment', 'muted', 'report', 'notice', 'bio'].map((what) => [what, word(name, what)]),
  ) as Record<'title' | 'text' | 'comment' | 'muted' | 'report' | 'notice' | 'bio', string>;
  const must = async <B>(answer: Promise<Answer<B>>): Promise<B> => {
    const { status, text, body } = await answer;
    if (status >= 300) throw new Error(text);
    return body;
  };
  for (const part of ['a', 'b'])
    await must(app.call(changeUsername, { as: person, body: { newUsername: `${name}_${part}` } }));
  await must(
    app.call(updateDetails, { as: person, body: { bio: said.bio, feelings: ['Sad'], interests: ['rain'] } }),
  );
  await must(app.call(setMutes, { as: person, body: { words: [said.muted], hashtags: [], emotions: [] } }));
  const vent = await must(
    app.call(createVent, {
      as: person,
      body: { title: said.title, text: said.text, emotion: 'Sad' },
      headers: { 'idempotency-key': randomBytes(16).toString('hex') },
    }),
  );
  const ventId = vent.vent?._id ?? '';
  const later = { title: said.title, text: said.text, emotion: 'Sad', later: true } as const;
  await must(app.call(createVent, { as: person, body: later }));
  const theirs = (await makeVent(app, stranger)).id;
  const comment = await must(app.call(commentOnVent, { as: person, body: { ventId, text: said.comment } }));
  const named = await must(
    app.call(commentOnVent, { as: person, body: { ventId: theirs, text: said.comment } }),
  );
  const anonymous = await must(
    app.call(commentOnVent, { as: stranger, body: { ventId, text: 'from a stranger', anonymous: true } }),
  );
  const thanked = await must(
    app.call(commentOnVent, { as: stranger, body: { ventId, text: 'that helped', anonymous: true } }),
  );
  await must(
    app.call(thankForComment, {
      as: person,
      params: { ventId, commentId: thanked.comment._id },
    }),
  );
  await must(
    app.call(endpointOf('POST /api/vent/comment/:ventId/:commentId/close'), {
      as: person,
      params: { ventId, commentId: anonymous.comment._id },
    } as never),
  );
  await must(app.call(react, { as: person, body: { ventId: theirs, reactionType: 'hug' } }));
  await must(
    app.call(createReport, {
      as: person,
      body: { about: { kind: 'vent', id: theirs }, reason: 'other', details: said.report },
    }),
  );
  await makeDecision(app, await keysOf(app, person), { excerpt: said.notice });
  const { matches } = await must(app.call(matchSuggestions, { as: person }));
  const code = await makeValidCode(app, person);
  // Somebody close to them leaves while suspended, and leaves a name and a number behind.
  const leaver = await signIn(app);
  await must(app.call(changeUsername, { as: leaver, body: { newUsername: `${name}_gone` } }));
  await must(app.call(commentOnVent, { as: leaver, body: { ventId: theirs, text: 'before I go' } }));
  await suspend(app, leaver);
  await markConfirmed(app, leaver);
  await must(app.call(deleteAccount, { as: leaver, query: {} }));
  const moderator = await signInModerator(app, { role, alias: `${name}-mod` });
  const enrolToken = await renewEnrolment(app.features.moderation, moderator.alias);
  const [session] = (await must(app.call(listSessions, { as: person }))).sessions;
  const [notice] = (await must(app.call(listNotices, { as: person }))).notices;
  return {
    person,
    moderator,
    enrolToken,
    code,
    ids: {
      vent: ventId,
      'closed vent': ventId,
      comment: comment.comment._id,
      named: named.comment._id,
      match: matches[0]?._id ?? '',
      session: session?._id ?? '',
      notice: notice?._id ?? '',
      user: person.user._id,
    },
    words: Object.values(said),
  };
}

function endpointOf(route: string): Endpoint {
  const found = endpoints.find(({ method, path }) => `${method} ${path}` === route);
  if (!found) throw new Error(route);
  return found;
}

/** Primary keys, as text, of the rows that are new since a snapshot, by table and in order. */
export type NewRows = ReadonlyMap<string, readonly Key[]>;
export type Key = Readonly<Record<string, string>>;

export async function createSnapshots(pool: pg.Pool) {
  const tables = await listTables(pool);
  const copyOf = (table: string) => `public.${pg.escapeIdentifier(`copy of ${table}`)}`;
  async function keyColumns(table: string): Promise<string[]> {
    const { rows } = await pool.query<{ name: string }>(
      `select a.attname as name from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = any(k.conkey)
        where k.contype = 'p' and k.conrelid = $1::regclass order by a.attnum`,
      [table],
    );
    return rows.map(({ name }) => name);
  }
  return {
    tables,
    async take(): Promise<void> {
      for (const table of tables)
        await pool.query(
          `drop table if exists ${copyOf(table)}; create table ${copyOf(table)} as table ${table}`,
        );
    },
    async newRows(): Promise<NewRows> {
      const found = new Map<string, Key[]>();
      for (const table of tables) {
        const keys = await keyColumns(table);
        const { rows } = await pool.query<Key>(
          `select ${keys.map((name) => `t.${name}::text`).join()} from ${table} as t
            where not exists (select from ${copyOf(table)} as c where ${keys.map((name) => `c.${name} = t.${name}`).join(' and ')})
            order by ${keys.map((name) => `t.${name}`).join()}`,
        );
        found.set(table, rows);
      }
      return found;
    },
    /** As the owner, without triggers and foreign keys. */
    async restore(): Promise<void> {
      const statements = tables.map(
        (table) =>
          `delete from ${table}; insert into ${table} overriding system value select * from ${copyOf(table)};`,
      );
      await pool.query(`begin; set local session_replication_role = replica; ${statements.join(' ')} commit`);
    },
  };
}

export interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly isKey: boolean;
  readonly isGenerated: boolean;
  readonly isUnique: boolean;
  readonly mayUpdate: boolean;
  readonly mayInsert: boolean;
}

/** What a role may write, from the catalogue. */
export async function writableColumns(pool: pg.Pool, role: DatabaseRole): Promise<Column[]> {
  const { rows } = await pool.query<Column>(
    `select format('%I.%I', n.nspname, c.relname) as table, a.attname as name, format_type(a.atttypid, null) as type,
            a.attidentity = 'a' as "isGenerated",
            coalesce(a.attnum = any(k.conkey), false) as "isKey",
            exists (select from pg_index i where i.indrelid = c.oid and i.indisunique
                                             and a.attnum = any(i.indkey)) as "isUnique",
            has_column_privilege($1, c.oid, a.attnum, 'update') as "mayUpdate",
            has_column_privilege($1, c.oid, a.attnum, 'insert') as "mayInsert"
       from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
       left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
      where c.relkind in ('r', 'p') and n.nspname = any($2) and a.attnum > 0 and not a.attisdropped
      order by 1, a.attnum`,
    [`unsaid_${role}`, schemaNames],
  );
  return rows.filter(({ mayUpdate, mayInsert }) => mayUpdate || mayInsert);
}

/** All text that a role can read in plain, so that a copy of it in a response tells nothing new. */
export async function readableText(
  pool: pg.Pool,
  role: DatabaseRole,
  tables: readonly string[],
): Promise<string> {
  let text = '';
  for (const table of tables) {
    const { rows } = await pool.query<{ may: boolean }>(
      `select has_schema_privilege($1, $2, 'usage') and has_table_privilege($1, $3, 'select') as may`,
      [`unsaid_${role}`, table.split('.')[0], table],
    );
    if (rows[0]?.may)
      text += JSON.stringify((await pool.query(`select * from ${table}`)).rows, (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      );
  }
  return text;
}

const matrix = JSON.parse(readFileSync(new URL('authz-matrix.json', import.meta.url), 'utf8')) as {
  routes: { route: string; ids?: string; query?: Record<string, string>; body?: Row }[];
};

/** Calls that end a session or an account come last. */
const isLast = ({ method, path }: Endpoint) =>
  /logout|session/u.test(path) || (method === 'DELETE' && path.startsWith('/api/auth'));
const ordered = (calls: readonly Endpoint[]) =>
  calls.toSorted(
    (a, b) =>
      Number(isLast(a)) - Number(isLast(b)) || Number(a.method !== 'GET') - Number(b.method !== 'GET'),
  );

const refusals = new Set(['UNAUTHENTICATED', 'ROLE_REQUIRED', 'PROOF_REQUIRED', 'ENROL_INVALID']);

/** What the attacker is shown: by call, the text of the response and whether it was refused. */
export type Shown = ReadonlyMap<string, { readonly text: string; readonly isRefused: boolean }>;

/** Every call of the contract and of the console, with everything that the attacker holds. */
export async function probe(
  app: TestApp,
  me: Life,
  victim: Life,
  second: Person,
  secrets: Secrets,
): Promise<Shown> {
  const shown = new Map<string, { text: string; isRefused: boolean }>();
  const note = (call: string, { text, body }: Answer<unknown>) =>
    shown.set(call, { text, isRefused: refusals.has(body.code ?? '') });
  const fill = (value: unknown, id: string): unknown =>
    value === '$id'
      ? id
      : value === '$phone'
        ? makePhone()
        : value === '$name'
          ? 'me_again'
          : typeof value === 'object' && value !== null && !Array.isArray(value)
            ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, id)]))
            : value;

  async function callAll(as: Actor, whose: string, calls: readonly Endpoint[]): Promise<void> {
    for (const endpoint of calls) {
      const route = `${endpoint.method} ${endpoint.path}`;
      const templates = matrix.routes.filter((row) => row.route === route);
      for (const [n, { ids = '', query, body }] of (templates.length > 0
        ? templates
        : [{ route } as (typeof matrix.routes)[number]]
      ).entries()) {
        const id = victim.ids[ids] ?? '';
        const params = { id, ventId: victim.ids['vent'] ?? '', commentId: victim.ids['comment'] ?? '' };
        note(
          `${whose} ${route} ${n}`,
          await app.call(endpoint, { as, params, query, body: fill(body, id) } as never),
        );
      }
    }
  }

  async function callConsole(token: string, whose: string): Promise<void> {
    const as = {
      ...newActor(),
      cookies: new Map([...me.moderator.cookies.keys()].map((name) => [name, token])),
    };
    for (const endpoint of ordered(consoleEndpoints)) {
      if (endpoint.auth === 'public') continue;
      const body = endpoint.body ? { body: {} } : {};
      note(
        `console ${whose} ${endpoint.method} ${endpoint.path}`,
        await app.callMod(endpoint, { as, params: { id: '1' }, ...body } as never),
      );
    }
  }

  if ((await app.call(getSelf, { as: me.person })).status === 200) await markConfirmed(app, me.person);
  // Own proofs first, in copies: some calls use them up.
  const again = await signIn(app, me.person.phone, {
    ...newActor(),
    cookies: new Map(me.person.cookies),
  }).catch((error: unknown) => JSON.stringify(String(error)));
  shown.set('sign-in', {
    text: typeof again === 'string' ? again : JSON.stringify(again.user),
    isRefused: false,
  });
  const renewed = { ...me.moderator, cookies: new Map<string, string>() };
  for (const { id } of await moderatorIds(app)) {
    // An authenticator of the attacker's says what it likes about whose passkey it is.
    renewed.authenticator.register({
      user: { id: Buffer.from(`moderator:${id}`).toString('base64url') },
      challenge: '',
    });
    await signInAgain(app, renewed).then(
      async () => note(`console passkey ${id}`, await app.callMod(getMe, { as: renewed })),
      () => {},
    );
  }
  for (const [whose, token] of [
    ['own', me.enrolToken],
    ['forged', secrets.enrolToken],
  ] as const)
    note(`console ${whose} enrolment`, await app.callMod(enrolOptions, { as: newActor(), body: { token } }));
  await callConsole([...me.moderator.cookies.values()][0] ?? '', 'own');
  await callConsole(secrets.consoleToken, 'forged');
  const forged = { ...newActor(), token: secrets.token };
  if ((await app.call(getSelf, { as: forged })).status !== 401)
    await callAll(forged, 'forged', ordered(endpoints));
  await callAll(
    me.person,
    'own',
    ordered(endpoints).filter((call) => !isLast(call)),
  );
  for (const code of [secrets.code, me.code])
    note(
      `recovery ${code === me.code ? 'own' : 'forged'}`,
      await app.call(recoverAccount, { as: second, body: { code } }),
    );
  // A code opens an account that is in use after a wait, which its owner is shown.
  note('recovery reaches the victim', await app.call(getSelf, { as: victim.person }));
  await callAll(me.person, 'own', ordered(endpoints).filter(isLast));
  return shown;
}

async function moderatorIds(app: TestApp) {
  return app.deps.databases.moderation.selectFrom('moderation.moderators').select('id').execute();
}

/** Whether an object in a response says that the caller wrote one of these items. */
function claims(text: string, ids: readonly string[]): boolean {
  let isFound = false;
  JSON.parse(text || '{}', (_, value: unknown) => {
    const { _id, isOwner, isMine } = (value ?? {}) as { _id?: string; isOwner?: boolean; isMine?: boolean };
    if (_id && ids.includes(_id) && (isOwner || isMine)) isFound = true;
    return value;
  });
  return isFound;
}

/** Whom the console takes the caller for. */
function aliasIn(text: string): string | undefined {
  const { alias, me } = JSON.parse(text || '{}') as { alias?: string; me?: { alias: string } };
  return alias ?? me?.alias;
}

const rolePattern = /"role":"(?:lead|moderator)"/u;

/** What an attempt opened, as lines: a call, and what it showed that it did not show before. */
export function breaches(
  before: Shown,
  after: Shown,
  {
    words,
    items,
    isOwnMarkTheirs,
  }: { words: readonly string[]; items: readonly string[]; isOwnMarkTheirs: boolean },
): string[] {
  return [...after].flatMap(([call, { text, isRefused }]) => {
    const usual = before.get(call);
    const found = words
      .filter((word) => text.includes(word) && !usual?.text.includes(word))
      .map((word) => `shows ${word}`);
    if (isOwnMarkTheirs && claims(text, items) && !claims(usual?.text ?? '', items))
      found.push('claims an item');
    if (
      !isRefused &&
      (call.startsWith('forged') || (call.startsWith('console') && usual?.isRefused !== false))
    )
      found.push('is let in');
    if (call.startsWith('recovery reaches') && text.includes('recoveryOpensAt')) found.push('by a code');
    const [alias, usualAlias] = [aliasIn(text), aliasIn(usual?.text ?? '')];
    if (alias && usualAlias && alias !== usualAlias) found.push('is another moderator');
    if (rolePattern.test(text) && !rolePattern.test(usual?.text ?? '')) found.push('has a role');
    if (text.includes('"isProven":true') && usual?.text.includes('"isProven":false')) found.push('is proven');
    return found.map((what) => `${call} ${what}`);
  });
}
