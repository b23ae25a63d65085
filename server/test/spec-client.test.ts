import { beforeAll, expect, test } from 'vitest';
import { useTestApp } from './app.ts';
import { makePhone } from './factories.ts';

/**
 * A client written from the table of the specification alone: plain fetch, only the fields in it, a Bearer token,
 * no cookies and no idempotency keys. It must work against this server.
 */

const app = useTestApp();
let base: string;
beforeAll(async () => {
  base = await app.server.listen({ port: 0, host: '127.0.0.1' });
});

interface Json {
  [key: string]: unknown;
}

/** The calls in the table of section 7. */
const table = [
  'POST /api/auth/request-otp',
  'POST /api/auth/verify-otp',
  'GET /api/auth/user',
  'GET /api/auth/user/{id}',
  'PUT /api/auth/change-username',
  'PUT /api/auth/update-details',
  'POST /api/vent/create',
  'GET /api/vent/all',
  'POST /api/vent/react',
  'DELETE /api/vent/{id}',
  'GET /api/vent/search',
  'POST /api/vent/report',
  'POST /api/vent/comment',
  'DELETE /api/vent/comment/{ventId}/{commentId}',
  'GET /api/match/suggestions',
  'GET /api/match/pending',
  'GET /api/match/history',
  'POST /api/match/accept',
  'POST /api/match/reject',
];

/** Rows of the table that were called successfully. */
const answered = new Set<string>();

/** The row of a call. Ids are longer than any word of the table, so they match only the names in braces. */
const rowOf = (method: string, path: string) =>
  table.find((row) =>
    new RegExp(`^${row.replace(/\{\w+\}/gu, '[\\w-]{20,}')}$`, 'u').test(`${method} ${path.split('?')[0]}`),
  );

async function request(method: string, path: string, token?: string, payload?: object) {
  const answer = await fetch(base + path, {
    method,
    headers: {
      ...(payload ? { 'Content-Type': 'application/json' } : {}),
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
    },
    ...(payload ? { body: JSON.stringify(payload) } : {}),
  });
  const row = rowOf(method, path);
  if (answer.ok && row) answered.add(row);
  return { status: answer.status, body: (await answer.json()) as Json & { vents: Vent[]; message?: string } };
}

interface Vent {
  _id: string;
  title: string;
  text: string;
  emotion: string;
  hashtags: string[];
  createdAt: string;
  userId: { _id: string; allowComments: boolean };
  reactions: { heart: number; hug: number; listen: number };
  comments: {
    _id: string;
    text: string;
    createdAt: string;
    userId: { username: string | null; profilePic: string | null };
  }[];
}

/** The user fields of section 3. A client that knows no others must find each of them. */
const userFields = [
  '_id',
  'username',
  'bio',
  'profilePic',
  'interests',
  'likes',
  'dislikes',
  'allowComments',
  'preferences',
];

async function signUp(): Promise<{ token: string; user: Json & { _id: string } }> {
  const phone = makePhone();
  expect((await request('POST', '/api/auth/request-otp', undefined, { phone })).status).toBe(200);
  const { body } = await request('POST', '/api/auth/verify-otp', undefined, {
    phone,
    otp: await app.codeFor(phone),
  });
  return { token: body['token'] as string, user: body['user'] as Json & { _id: string } };
}

test('a client of the specification can sign in and edit its profile (S3.1 to S3.3, S6.1, S7.2 to S7.7, S7.21)', async () => {
  const { token, user } = await signUp();
  const self = await request('GET', '/api/auth/user', token);
  expect(self).toMatchObject({ status: 200, body: { user: { _id: user._id } } });
  for (const known of [user, self.body['user'] as Json]) {
    expect(Object.keys(known)).toEqual(expect.arrayContaining(userFields));
    expect(known).toMatchObject({
      profilePic: expect.stringMatching(/^\/avatars\//u) as string,
      interests: [],
      likes: [],
      dislikes: [],
      allowComments: true,
      preferences: { matchPreference: null, anonymousChat: true },
    });
    // There is one kind of user: no field grants a role.
    expect(Object.keys(known).join()).not.toMatch(/role|admin|staff|moderator/iu);
  }
  expect(
    await request('PUT', '/api/auth/change-username', token, { newUsername: 'spec_reader' }),
  ).toMatchObject({
    status: 200,
  });
  // At signup the preference is a plain string, allowComments is absent, and the response contains a token.
  const signup = {
    bio: 'hello',
    interests: ['music'],
    likes: ['tea'],
    dislikes: ['noise'],
    preferences: 'Balanced',
  };
  expect(await request('PUT', '/api/auth/update-details', token, signup)).toMatchObject({
    status: 200,
    body: { token, user: { username: 'spec_reader', preferences: { matchPreference: 'Balanced' } } },
  });
  const later = {
    ...signup,
    allowComments: false,
    preferences: { matchPreference: 'Similar Emotions', anonymousChat: false },
  };
  const updated = await request('PUT', '/api/auth/update-details', token, later);
  expect(updated).toMatchObject({ status: 200, body: { user: { username: 'spec_reader', ...later } } });
  expect(updated.body).not.toHaveProperty('token');
  expect((await request('GET', `/api/auth/user/${user._id}`, token)).body['user']).toMatchObject({
    bio: 'hello',
  });
});

test('a client of the specification can create, list, find, react to, comment on, search, report and delete vents (S3.4 to S3.8, S4.11, S5.6, S7.8 to S7.15, S7.22 to S7.24, S9.6)', async () => {
  const [author, reader] = [await signUp(), await signUp()];
  const vent = {
    title: 'A title',
    text: 'What I could say to nobody',
    emotion: 'Sad',
    hashtags: ['family', 'nights'],
  };
  expect(await request('POST', '/api/vent/create', author.token, vent)).toMatchObject({
    body: { success: true },
  });

  const feed = await request('GET', '/api/vent/all?sort=recent&page=1&limit=5', reader.token);
  const [first] = feed.body.vents;
  expect(first).toMatchObject({ ...vent, reactions: { heart: 0, hug: 0, listen: 0 }, comments: [] });
  const id = first?._id ?? '';
  expect(new Date(first?.createdAt ?? '').getTime()).not.toBeNaN();
  expect(first?.userId).toEqual({ _id: expect.any(String) as string, allowComments: true });
  // The specification's detail screen fetches a hundred vents and finds one by its id.
  const hundred = await request('GET', '/api/vent/all?sort=trending&page=1&limit=100', reader.token);
  expect(hundred.body.vents.find((one) => one._id === id)).toBeDefined();
  // Its my-vents screen keeps the vents whose userId is the caller's.
  const mine = await request('GET', '/api/vent/all?page=1&limit=50', author.token);
  expect(mine.body.vents.filter((one) => one.userId._id === author.user._id)).toHaveLength(1);
  expect(feed.body.vents.filter((one) => one.userId._id === reader.user._id)).toHaveLength(0);

  expect(
    (await request('POST', '/api/vent/react', reader.token, { ventId: id, reactionType: 'hug' })).status,
  ).toBe(200);
  expect(
    (await request('POST', '/api/vent/comment', reader.token, { ventId: id, text: 'I hear you' })).status,
  ).toBe(201);
  const after = (await request('GET', '/api/vent/all?sort=recent&page=1&limit=5', author.token)).body
    .vents[0];
  expect(after?.reactions.hug).toBe(1);
  expect(after?.comments).toMatchObject([
    {
      _id: expect.any(String) as string,
      text: 'I hear you',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/u) as string,
      userId: { username: null, profilePic: null },
    },
  ]);

  expect(
    (await request('GET', '/api/vent/search?query=nobody', reader.token)).body.vents.map((one) => one._id),
  ).toEqual([id]);
  expect(await request('GET', '/api/vent/search?query=', reader.token)).toMatchObject({
    status: 422,
    body: { message: 'Please enter a search query.' },
  });
  expect(
    await request('POST', '/api/vent/report', reader.token, { ventId: id, reason: 'Other: about me' }),
  ).toMatchObject({
    status: 201,
  });
  expect(
    await request('POST', '/api/vent/create', author.token, {
      title: '',
      text: '',
      emotion: '',
      hashtags: [],
    }),
  ).toMatchObject({
    status: 422,
    body: { success: false, message: 'Please fill in all required fields.' },
  });
  const commentId = after?.comments[0]?._id ?? '';
  expect((await request('DELETE', `/api/vent/comment/${id}/${commentId}`, author.token)).status).toBe(200);
  expect((await request('DELETE', `/api/vent/${id}`, reader.token)).status).toBe(404);
  expect((await request('DELETE', `/api/vent/${id}`, author.token)).status).toBe(200);
  expect((await request('GET', '/api/vent/all?sort=recent&page=1&limit=5', reader.token)).body.vents).toEqual(
    [],
  );
});

interface Side {
  _id: string;
  username: string | null;
  profilePic: string;
}

test('a client of the specification can read suggestions, accept, reject, and read pending matches and the history (S3.10, S3.12 to S3.15, S4.8, S7.5, S7.16 to S7.20, S9.12)', async () => {
  const [me, other, third] = [await signUp(), await signUp(), await signUp()];
  for (const { token } of [me, other])
    await request('PUT', '/api/auth/update-details', token, { feelings: ['Burnout'] });
  await request('PUT', '/api/auth/change-username', me.token, { newUsername: 'spec_matcher' });
  await request('PUT', '/api/auth/change-username', other.token, { newUsername: 'spec_other' });
  await request('PUT', '/api/auth/change-username', third.token, { newUsername: 'spec_third' });

  /** The specification's screen shows the one of the two that is not the caller. */
  const otherSide = (match: { user1: Side; user2: Side }, mine: { user: { _id: string } }) =>
    match.user1._id === mine.user._id ? match.user2 : match.user1;
  const suggested = async (mine: typeof me) =>
    (await request('GET', '/api/match/suggestions', mine.token)).body['matches'] as {
      _id: string;
      user1: Side;
      user2: Side;
      user1Accepted: boolean;
      user2Accepted: boolean;
      matchScore: number;
      commonEmotions: string[];
    }[];
  const list = await suggested(me);
  const match = list.find((one) => otherSide(one, me).username === 'spec_other');
  const another = list.find((one) => otherSide(one, me).username === 'spec_third');
  expect(match).toMatchObject({
    user1Accepted: false,
    user2Accepted: false,
    matchScore: expect.any(Number) as number,
    commonEmotions: ['Burnout'],
  });
  expect(match?.matchScore).toBeGreaterThanOrEqual(0);
  expect(match?.matchScore).toBeLessThanOrEqual(1);
  for (const side of [match?.user1, match?.user2])
    expect(Object.keys(side ?? {}).toSorted()).toEqual(['_id', 'profilePic', 'username']);
  const matchId = match?._id ?? '';
  // The other person has a peer id that is valid in this pair only.
  const peerId = match ? otherSide(match, me)._id : '';
  expect(peerId).not.toBe(other.user._id);
  const profile = await request('GET', `/api/auth/user/${peerId}`, me.token);
  expect(profile).toMatchObject({ status: 200, body: { user: { _id: peerId, username: 'spec_other' } } });

  expect(await request('POST', '/api/match/accept', me.token, { matchId })).toMatchObject({
    status: 200,
    body: { success: true },
  });
  const waiting = {
    matchId,
    from: 'spec_matcher',
    fromId: me.user._id,
    fromPic: me.user.profilePic,
    to: 'spec_other',
    toId: peerId,
    toPic: other.user.profilePic,
    matchScore: match?.matchScore,
    status: 'pending',
  };
  expect((await request('GET', '/api/match/pending', me.token)).body).toEqual({
    success: true,
    receivedMatches: [],
    sentMatches: [waiting],
  });
  expect((await request('GET', '/api/match/pending', other.token)).body).toEqual({
    success: true,
    // Each of the two sees the other under the peer id.
    receivedMatches: [{ ...waiting, fromId: peerId, toId: other.user._id }],
    sentMatches: [],
  });
  const asked = (await suggested(other)).find((one) => one._id === matchId);
  expect(asked?.user1._id === peerId ? asked.user1Accepted : asked?.user2Accepted).toBe(true);
  expect(await request('POST', '/api/match/accept', other.token, { matchId })).toMatchObject({ status: 200 });
  expect(await request('POST', '/api/match/reject', me.token, { matchId: another?._id ?? '' })).toMatchObject(
    {
      status: 200,
      body: { success: true },
    },
  );

  const { body } = await request('GET', '/api/match/history', me.token);
  const history = body['history'] as Json[] & { user1: Side; user2: Side }[];
  const sides = {
    user1: { _id: expect.any(String) as string },
    user2: { _id: expect.any(String) as string },
  };
  expect(history).toMatchObject([
    { ...sides, matchId: another?._id, status: 'rejected', matchScore: another?.matchScore },
    { ...sides, matchId, status: 'accepted', matchScore: match?.matchScore },
  ]);
  for (const { timestamp } of history as unknown as { timestamp: string }[])
    expect(new Date(timestamp).getTime()).not.toBeNaN();
  expect(await request('POST', '/api/match/accept', third.token, { matchId })).toMatchObject({
    status: 404,
    body: { success: false, message: expect.any(String) as string },
  });
});

test('all nineteen calls of the table were made successfully (S0.4, S7.2 to S7.20)', () => {
  expect(table).toHaveLength(19);
  expect(table.filter((row) => !answered.has(row))).toEqual([]);
});
