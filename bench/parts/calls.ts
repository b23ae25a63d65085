import {
  acceptMatch,
  changeNumber,
  changeUsername,
  closeAllVents,
  commentOnVent,
  createVent,
  deleteAccount,
  deleteComment,
  deleteVent,
  drawAvatar,
  endpoints,
  exportData,
  getSelf,
  getUser,
  getVent,
  limits,
  listComments,
  listCountries,
  listSessions,
  listVents,
  logout,
  makeRecoveryCode,
  matchHistory,
  matchSuggestions,
  pendingMatches,
  react,
  readRecovery,
  reauthenticate,
  recoverAccount,
  rejectMatch,
  reportVent,
  requestOtp,
  revokeOtherSessions,
  revokeSession,
  searchVents,
  setVentComments,
  updateDetails,
  ventWeather,
  ventsSince,
  verifyOtp,
  type Endpoint,
  type OtpPurpose,
} from '@unsaid/contract';
import { until } from '../../tools/drills.ts';
import { cpuOf, measureCalls } from '../../tools/cpu.ts';
import { createClient, percentile, type Answer, type Client } from '../lib/client.ts';
import { createBackendMeter, pidOfRedis } from '../lib/cpu-meters.ts';
import { markdownTable } from '../lib/markdown-table.ts';
import { openSessions } from '../lib/open-sessions.ts';
import { grouped, type Part } from '../lib/part.ts';
import { startStage, type Stage } from '../lib/stage.ts';
import { copyDatabase, dropDatabase, nameOf, urlOf } from '../lib/vent-databases.ts';
import { redisUrlOf } from '../lib/vent-stage.ts';

/**
 * Every call of the contract, sixteen at a time, on a copy of one of the databases: what is written is thrown away
 * with it. Calls that can be made once only are made once by each of many people.
 */

const workers = 16;
const many = 600;
const some = 300;
/** As often as there are people for it. */
const people = 64;
const newcomers = 48;
/** Each goes through all that somebody has; so these come one after the other. */
const few = 4;

interface Row {
  readonly endpoint: Endpoint;
  readonly what: string;
  readonly count: number;
  /** Answered with 503: they took longer than a call may. */
  readonly refused: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpuMs: readonly number[];
}

type One = (n: number) => Promise<Answer<unknown>>;
type Measure = (endpoint: Endpoint, what: string, count: number, one: One) => Promise<void>;

interface Scene {
  readonly stage: Stage;
  readonly client: Client;
  readonly measure: Measure;
  /** Tokens of seeded people. */
  readonly readers: readonly string[];
  readonly readerIds: readonly bigint[];
}

const of = <T>(list: readonly T[], n: number): T =>
  list[((n % list.length) + list.length) % list.length] as T;
const phoneAt = (n: number) => `+9198${String(20_000_000 + n * 37)}`;

/** Asks for a code each, and waits until all have come. */
async function codesFor(
  { stage, client }: Scene,
  phones: readonly string[],
  purpose: OtpPurpose,
): Promise<string[]> {
  const before = phones.map((phone) => stage.codeFor(phone));
  for (const phone of phones) await client.call(requestOtp, { body: { phone, purpose } });
  const isNew = (phone: string, n: number) => ![null, before[n]].includes(stage.codeFor(phone));
  await until('the codes', () => phones.every(isNew));
  return phones.map((phone) => stage.codeFor(phone) ?? '');
}

async function measureFrontDoor(scene: Scene): Promise<void> {
  const { stage, client, measure, readers } = scene;
  await measure(listCountries, 'countries', many, () => client.call(listCountries, {}));
  const phones = Array.from({ length: newcomers }, (_, n) => phoneAt(n));
  await measure(requestOtp, 'ask for a code', newcomers, (n) =>
    client.call(requestOtp, { body: { phone: of(phones, n) } }),
  );
  await until('the codes', () => phones.every((phone) => stage.codeFor(phone) !== null));
  const codes = phones.map((phone) => stage.codeFor(phone) ?? '');
  const tokens: string[] = [];
  await measure(verifyOtp, 'answer it: a new account', newcomers, async (n) => {
    const answer = await client.call(verifyOtp, { body: { phone: of(phones, n), otp: of(codes, n) } });
    tokens[n] = answer.body.token;
    return answer;
  });
  const again = await codesFor(scene, phones, 'reauth');
  await measure(reauthenticate, 'prove it is still you', newcomers, (n) =>
    client.call(reauthenticate, { token: of(tokens, n), body: { phone: of(phones, n), otp: of(again, n) } }),
  );
  await measure(exportData, 'export, of a new account', few, (n) =>
    client.call(exportData, { token: of(tokens, n) }),
  );
  await measure(readRecovery, 'is there a recovery code', some, (n) =>
    client.call(readRecovery, { token: of(readers, n) }),
  );
  const recoveryCodes: string[] = [];
  await measure(makeRecoveryCode, 'make a recovery code', newcomers, async (n) => {
    const answer = await client.call(makeRecoveryCode, { token: of(tokens, n) });
    recoveryCodes[n] = answer.body.code;
    return answer;
  });
  const moved = tokens.slice(0, newcomers / 2);
  const newPhones = moved.map((_, n) => phoneAt(1000 + n));
  const newCodes = await codesFor(scene, newPhones, 'change');
  await measure(changeNumber, 'change the number', moved.length, (n) =>
    client.call(changeNumber, {
      token: of(moved, n),
      body: { phone: of(newPhones, n), otp: of(newCodes, n) },
    }),
  );
  // The last ones bring back the accounts of the first, the ones before them leave.
  await measure(recoverAccount, 'bring an account back', few, (n) =>
    client.call(recoverAccount, { token: of(tokens, -1 - n), body: { code: of(recoveryCodes, n) } }),
  );
  await measure(deleteAccount, 'delete the account', few, (n) =>
    client.call(deleteAccount, { token: of(tokens, newcomers / 2 + n) }),
  );
}

async function measureSessions({ stage, client, measure, readers, readerIds }: Scene): Promise<void> {
  await measure(listSessions, 'list sessions', some, (n) =>
    client.call(listSessions, { token: of(readers, n) }),
  );
  openSessions(stage.databaseUrl, readerIds);
  const others: string[] = [];
  for (const token of readers) {
    const { sessions } = (await client.call(listSessions, { token })).body;
    others.push(sessions.find(({ isCurrent }) => !isCurrent)?._id ?? '');
  }
  await measure(revokeSession, 'end one session', people, (n) =>
    client.call(revokeSession, { token: of(readers, n), params: { id: of(others, n) } }),
  );
  openSessions(stage.databaseUrl, readerIds);
  await measure(revokeOtherSessions, 'end the others', people, (n) =>
    client.call(revokeOtherSessions, { token: of(readers, n) }),
  );
  const leaving = openSessions(stage.databaseUrl, readerIds);
  await measure(logout, 'log out', people, (n) => client.call(logout, { token: of(leaving, n) }));
}

async function measureProfiles({ client, measure, readers }: Scene): Promise<void> {
  const selves: string[] = [];
  for (const token of readers) selves.push((await client.call(getSelf, { token })).body.user._id);
  await measure(getSelf, 'oneself', many, (n) => client.call(getSelf, { token: of(readers, n) }));
  await measure(getUser, 'somebody', many, (n) =>
    client.call(getUser, { token: of(readers, n), params: { id: of(selves, n + 1) } }),
  );
  await measure(updateDetails, 'change the profile', some, (n) =>
    client.call(updateDetails, {
      token: of(readers, n),
      body: { bio: `I listen ${n}`, interests: ['music', `tea ${n}`] },
    }),
  );
  await measure(drawAvatar, 'another picture', some, (n) =>
    client.call(drawAvatar, { token: of(readers, n) }),
  );
  await measure(changeUsername, 'another name', people, (n) =>
    client.call(changeUsername, { token: of(readers, n), body: { newUsername: `bench_${n}` } }),
  );
}

async function measureReading({ client, measure, readers }: Scene): Promise<void> {
  const list = (query: Record<string, string>) => (n: number) =>
    client.call(listVents, { token: of(readers, n), query });
  const { vents } = (await client.call(listVents, { token: of(readers, 0), query: { limit: '100' } })).body;
  const ids = vents.map(({ _id }) => _id);
  const discussed = vents.toSorted((a, b) => b.commentCount - a.commentCount)[0]?._id ?? '';
  await measure(listVents, 'feed, page 1 (shared for a second)', many, list({ page: '1' }));
  await measure(listVents, 'feed, made anew', many, list({ page: '1', limit: '6' }));
  await measure(listVents, 'feed, older', many, list({ before: of(ids, 60) }));
  await measure(listVents, 'trending', many, list({ sort: 'trending' }));
  await measure(listVents, 'my vents', many, list({ mine: 'true', limit: String(limits.myVentsFetched) }));
  await measure(getVent, 'one vent', many, (n) =>
    client.call(getVent, { token: of(readers, n), params: { id: of(ids, n) } }),
  );
  await measure(searchVents, 'search, a frequent word', some, (n) =>
    client.call(searchVents, { token: of(readers, n), query: { query: 'feel', limit: '20' } }),
  );
  await measure(searchVents, 'search, a hashtag', some, (n) =>
    client.call(searchVents, { token: of(readers, n), query: { query: '#neet', limit: '20' } }),
  );
  await measure(listComments, 'comments of a vent', many, (n) =>
    client.call(listComments, { token: of(readers, n), params: { id: discussed }, query: {} }),
  );
  await measure(ventsSince, 'since you were here', many, (n) =>
    client.call(ventsSince, { token: of(readers, n), query: {} }),
  );
  await measure(ventWeather, 'emotional weather', many, (n) =>
    client.call(ventWeather, { token: of(readers, n) }),
  );
}

async function measureWriting({ client, measure, readers }: Scene): Promise<void> {
  const made: { readonly id: string; readonly token: string; readonly isOpen: boolean }[] = [];
  await measure(createVent, 'say something', some, async (n) => {
    const token = of(readers, n);
    const text = `What does it cost to say this? ${n} `.repeat(6);
    const answer = await client.call(createVent, {
      token,
      body: { title: `Cost ${n}`, text, emotion: 'Sad', hashtags: ['night'] },
    });
    const { _id: id, userId } = answer.body.vent;
    made.push({ id, token, isOpen: userId.allowComments });
    return answer;
  });
  await measure(react, 'a reaction', some, (n) =>
    client.call(react, {
      token: of(readers, n),
      body: { ventId: of(made, n + 1).id, reactionType: 'hug', active: true },
    }),
  );
  const open = made.filter(({ isOpen }) => isOpen);
  const comments: { readonly ventId: string; readonly commentId: string; readonly token: string }[] = [];
  await measure(commentOnVent, 'a comment', some, async (n) => {
    const [token, ventId] = [of(readers, n), of(open, n + 1).id];
    const answer = await client.call(commentOnVent, {
      token,
      body: { ventId, text: 'I hear you', anonymous: n % 2 === 0 },
    });
    comments.push({ ventId, token, commentId: answer.body.comment._id });
    return answer;
  });
  await measure(deleteComment, 'take a comment back', some, (n) => {
    const { token, ventId, commentId } = of(comments, n);
    return client.call(deleteComment, { token, params: { ventId, commentId } });
  });
  await measure(setVentComments, 'close a vent for comments', some, (n) => {
    const { id, token } = of(made, n);
    return client.call(setVentComments, { token, params: { id }, body: { allowComments: n < 0 } });
  });
  await measure(reportVent, 'a report', some, (n) => {
    const { id: ventId, token: owner } = of(made, n);
    // Nobody reports their own.
    const token = of(readers, n) === owner ? of(readers, n + 1) : of(readers, n);
    return client.call(reportVent, { token, body: { ventId, reason: `Other: measured ${n}` } });
  });
  await measure(deleteVent, 'take a vent back', some, (n) => {
    const { id, token } = of(made, n);
    return client.call(deleteVent, { token, params: { id } });
  });
  await measure(closeAllVents, 'close all of one’s own', few, (n) =>
    client.call(closeAllVents, { token: of(readers, n) }),
  );
}

async function measureMatching({ client, measure, readers }: Scene): Promise<void> {
  const found: string[][] = [];
  await measure(matchSuggestions, 'suggestions, the first time', people, async (n) => {
    const answer = await client.call(matchSuggestions, { token: of(readers, n) });
    if (answer.status === 200) found[n] = answer.body.matches.map(({ _id }) => _id);
    return answer;
  });
  await measure(matchSuggestions, 'suggestions, again', some, (n) =>
    client.call(matchSuggestions, { token: of(readers, n) }),
  );
  const answered = (place: number) =>
    readers.flatMap((token, n) => {
      const matchId = found[n]?.[place];
      return matchId === undefined ? [] : [{ token, body: { matchId } }];
    });
  const [yes, no] = [answered(0), answered(1)];
  await measure(acceptMatch, 'yes to somebody', yes.length, (n) => client.call(acceptMatch, of(yes, n)));
  await measure(rejectMatch, 'no to somebody', no.length, (n) => client.call(rejectMatch, of(no, n)));
  await measure(pendingMatches, 'who is waiting', some, (n) =>
    client.call(pendingMatches, { token: of(readers, n) }),
  );
  await measure(matchHistory, 'what became of them', some, (n) =>
    client.call(matchHistory, { token: of(readers, n) }),
  );
}

export const measureEveryCall: Part = async (context) => {
  const size = context.sizes[Math.min(1, context.sizes.length - 1)] ?? 0;
  const database = `unsaid_bench_calls_${process.pid}`;
  copyDatabase(nameOf(size), database);
  const rows: Row[] = [];
  try {
    const stage = await startStage(
      database,
      context.nextPort(),
      { SERVICES: 'api', REDIS_URL: redisUrlOf(context), PHONE_INDEX_COST: '15' },
      database,
    );
    const client = createClient(stage.port, workers);
    const backends = createBackendMeter(urlOf(database));
    const redisPid = pidOfRedis(context.redis);
    const readCpu = () => [cpuOf(stage.pid).seconds, backends.seconds(), cpuOf(redisPid).seconds];
    let share = 1;
    const measure: Measure = async (endpoint, what, wanted, one) => {
      const count = Math.ceil(wanted * share);
      let refused = 0;
      const measured = await measureCalls(
        { count, workers: wanted > few ? workers : 1, readCpu },
        async (n) => {
          const { status, body } = await one(n);
          if (status === 503) refused += 1;
          else if (status >= 300) throw new Error(`${what}: ${status} ${body.code}`);
        },
      );
      const { times, perSecond, cpuMs } = measured;
      rows.push({
        endpoint,
        what,
        count,
        refused,
        perSecond,
        cpuMs,
        p50: percentile(times, 0.5),
        p99: percentile(times, 0.99),
      });
    };
    try {
      // Spread over those who write much and those who write little.
      const readerIds = Array.from({ length: people }, (_, n) => BigInt(21 + n * 5));
      const scene: Scene = {
        stage,
        client,
        measure,
        readerIds,
        readers: openSessions(stage.databaseUrl, readerIds),
      };
      // A few for nothing, until the code is compiled.
      share = 0.1;
      await measureReading(scene);
      rows.length = 0;
      share = 1;
      await measureReading(scene);
      await measureWriting(scene);
      await measureMatching(scene);
      await measureProfiles(scene);
      await measureSessions(scene);
      await measureFrontDoor(scene);
    } finally {
      client.close();
      await stage.stop();
    }
  } finally {
    dropDatabase(database);
  }
  const missing = endpoints.filter((endpoint) => rows.every((row) => row.endpoint !== endpoint));
  if (missing.length > 0) throw new Error(`not measured: ${missing.map(({ path }) => path).join()}`);
  const text = [
    markdownTable(
      ['call', 'what', 'times', 'p50 ms', 'p99 ms', 'a second', 'api, CPU ms', 'PostgreSQL', 'Redis'],
      rows.map(({ endpoint, what, count, refused, perSecond, p50, p99, cpuMs }) => [
        `${endpoint.method} ${endpoint.path}`,
        what,
        refused > 0 ? `${count}, ${refused} refused` : String(count),
        p50.toFixed(1),
        p99.toFixed(1),
        perSecond < 10 ? perSecond.toFixed(1) : grouped(perSecond),
        ...cpuMs.map((ms) => ms.toFixed(2)),
      ]),
    ),
    '',
    `All ${endpoints.length} calls of the contract, ${workers} at once, at ${grouped(size)} vents, the client on the same machine: p50 is mostly waiting for a turn. CPU of PostgreSQL is that of the connections' own processes.`,
  ].join('\n');
  const figures = rows.map(({ endpoint, ...row }) => ({
    ...row,
    call: `${endpoint.method} ${endpoint.path}`,
  }));
  return { text, figures: { size, rows: figures } };
};
