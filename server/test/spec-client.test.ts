import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from './app.ts';
import { makePhone } from './make.ts';

/**
 * Somebody else's front end, written from the table of the specification and nothing else: plain fetch,
 * only its fields, a Bearer token, no cookies, no keys of ours. It must work against this server.
 */

let app: TestApp;
let base: string;
beforeAll(async () => {
  app = await startTestApp();
  base = await app.server.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => app.close());

interface Json {
  [key: string]: unknown;
}

/** The table of section 7. */
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

/** Rows of the table that were called and answered with success. */
const answered = new Set<string>();

/** What is filled in for a name in braces is longer than any word of the table. */
const rowOf = (method: string, path: string) =>
  table.find((row) =>
    new RegExp(`^${row.replace(/\{\w+\}/gu, '[\\w-]{20,}')}$`, 'u').test(`${method} ${path.split('?')[0]}`),
  );

async function ask(method: string, path: string, token?: string, payload?: object) {
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

/** The fields of section 3, by name: a client that knows no others must find each of them. */
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

async function enter(): Promise<{ token: string; user: Json & { _id: string } }> {
  const phone = makePhone();
  expect((await ask('POST', '/api/auth/request-otp', undefined, { phone })).status).toBe(200);
  const { body } = await ask('POST', '/api/auth/verify-otp', undefined, {
    phone,
    otp: await app.codeFor(phone),
  });
  return { token: body['token'] as string, user: body['user'] as Json & { _id: string } };
}

test('sign-in and profile', async () => {
  const { token, user } = await enter();
  const self = await ask('GET', '/api/auth/user', token);
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
    // One kind of user: nothing about anybody says that they may do more than others.
    expect(Object.keys(known).join()).not.toMatch(/role|admin|staff|moderator/iu);
  }
  expect(await ask('PUT', '/api/auth/change-username', token, { newUsername: 'spec_reader' })).toMatchObject({
    status: 200,
  });
  // At signup the preference is a bare string and allowComments is left out; a token comes back.
  const signup = {
    bio: 'hello',
    interests: ['music'],
    likes: ['tea'],
    dislikes: ['noise'],
    preferences: 'Balanced',
  };
  expect(await ask('PUT', '/api/auth/update-details', token, signup)).toMatchObject({
    status: 200,
    body: { token, user: { username: 'spec_reader', preferences: { matchPreference: 'Balanced' } } },
  });
  const later = {
    ...signup,
    allowComments: false,
    preferences: { matchPreference: 'Similar Emotions', anonymousChat: false },
  };
  const updated = await ask('PUT', '/api/auth/update-details', token, later);
  expect(updated).toMatchObject({ status: 200, body: { user: { username: 'spec_reader', ...later } } });
  expect(updated.body).not.toHaveProperty('token');
  expect((await ask('GET', `/api/auth/user/${user._id}`, token)).body['user']).toMatchObject({
    bio: 'hello',
  });
});

test('vents: create, list, find one among a hundred, react, comment, search, report, delete', async () => {
  const [author, reader] = [await enter(), await enter()];
  const vent = {
    title: 'A title',
    text: 'What I could say to nobody',
    emotion: 'Sad',
    hashtags: ['family', 'nights'],
  };
  expect(await ask('POST', '/api/vent/create', author.token, vent)).toMatchObject({
    body: { success: true },
  });

  const feed = await ask('GET', '/api/vent/all?sort=recent&page=1&limit=5', reader.token);
  const [first] = feed.body.vents;
  expect(first).toMatchObject({ ...vent, reactions: { heart: 0, hug: 0, listen: 0 }, comments: [] });
  const id = first?._id ?? '';
  expect(new Date(first?.createdAt ?? '').getTime()).not.toBeNaN();
  expect(first?.userId).toEqual({ _id: expect.any(String) as string, allowComments: true });
  // The spec's detail screen fetches a hundred and looks for one by its id.
  const hundred = await ask('GET', '/api/vent/all?sort=trending&page=1&limit=100', reader.token);
  expect(hundred.body.vents.find((one) => one._id === id)).toBeDefined();
  // Its my-vents screen keeps those whose userId is its own.
  const mine = await ask('GET', '/api/vent/all?page=1&limit=50', author.token);
  expect(mine.body.vents.filter((one) => one.userId._id === author.user._id)).toHaveLength(1);
  expect(feed.body.vents.filter((one) => one.userId._id === reader.user._id)).toHaveLength(0);

  expect(
    (await ask('POST', '/api/vent/react', reader.token, { ventId: id, reactionType: 'hug' })).status,
  ).toBe(200);
  expect(
    (await ask('POST', '/api/vent/comment', reader.token, { ventId: id, text: 'I hear you' })).status,
  ).toBe(201);
  const after = (await ask('GET', '/api/vent/all?sort=recent&page=1&limit=5', author.token)).body.vents[0];
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
    (await ask('GET', '/api/vent/search?query=nobody', reader.token)).body.vents.map((one) => one._id),
  ).toEqual([id]);
  expect(await ask('GET', '/api/vent/search?query=', reader.token)).toMatchObject({
    status: 422,
    body: { message: 'Please enter a search query.' },
  });
  expect(
    await ask('POST', '/api/vent/report', reader.token, { ventId: id, reason: 'Other: about me' }),
  ).toMatchObject({
    status: 201,
  });
  expect(
    await ask('POST', '/api/vent/create', author.token, { title: '', text: '', emotion: '', hashtags: [] }),
  ).toMatchObject({
    status: 422,
    body: { success: false, message: 'Please fill in all required fields.' },
  });
  const commentId = after?.comments[0]?._id ?? '';
  expect((await ask('DELETE', `/api/vent/comment/${id}/${commentId}`, author.token)).status).toBe(200);
  expect((await ask('DELETE', `/api/vent/${id}`, reader.token)).status).toBe(404);
  expect((await ask('DELETE', `/api/vent/${id}`, author.token)).status).toBe(200);
  expect((await ask('GET', '/api/vent/all?sort=recent&page=1&limit=5', reader.token)).body.vents).toEqual([]);
});

interface Side {
  _id: string;
  username: string | null;
  profilePic: string;
}

test('matches: suggestions, yes, waiting, no, and what became of them', async () => {
  const [me, other, third] = [await enter(), await enter(), await enter()];
  for (const { token } of [me, other])
    await ask('PUT', '/api/auth/update-details', token, { feelings: ['Burnout'] });
  await ask('PUT', '/api/auth/change-username', me.token, { newUsername: 'spec_matcher' });
  await ask('PUT', '/api/auth/change-username', other.token, { newUsername: 'spec_other' });
  await ask('PUT', '/api/auth/change-username', third.token, { newUsername: 'spec_third' });

  /** The spec's screen takes the one of the two that is not oneself. */
  const otherSide = (match: { user1: Side; user2: Side }, mine: { user: { _id: string } }) =>
    match.user1._id === mine.user._id ? match.user2 : match.user1;
  const suggested = async (mine: typeof me) =>
    (await ask('GET', '/api/match/suggestions', mine.token)).body['matches'] as {
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
  // In a pair the other has an id of this pair alone.
  const peerId = match ? otherSide(match, me)._id : '';
  expect(peerId).not.toBe(other.user._id);
  const profile = await ask('GET', `/api/auth/user/${peerId}`, me.token);
  expect(profile).toMatchObject({ status: 200, body: { user: { _id: peerId, username: 'spec_other' } } });

  expect(await ask('POST', '/api/match/accept', me.token, { matchId })).toMatchObject({
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
  expect((await ask('GET', '/api/match/pending', me.token)).body).toEqual({
    success: true,
    receivedMatches: [],
    sentMatches: [waiting],
  });
  expect((await ask('GET', '/api/match/pending', other.token)).body).toEqual({
    success: true,
    // To either of the two, the other has the id of the pair.
    receivedMatches: [{ ...waiting, fromId: peerId, toId: other.user._id }],
    sentMatches: [],
  });
  const asked = (await suggested(other)).find((one) => one._id === matchId);
  expect(asked?.user1._id === peerId ? asked.user1Accepted : asked?.user2Accepted).toBe(true);
  expect(await ask('POST', '/api/match/accept', other.token, { matchId })).toMatchObject({ status: 200 });
  expect(await ask('POST', '/api/match/reject', me.token, { matchId: another?._id ?? '' })).toMatchObject({
    status: 200,
    body: { success: true },
  });

  const { body } = await ask('GET', '/api/match/history', me.token);
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
  expect(await ask('POST', '/api/match/accept', third.token, { matchId })).toMatchObject({
    status: 404,
    body: { success: false, message: expect.any(String) as string },
  });
});

test('and these are all nineteen calls of the table, each answered with success', () => {
  expect(table).toHaveLength(19);
  expect(table.filter((row) => !answered.has(row))).toEqual([]);
});
