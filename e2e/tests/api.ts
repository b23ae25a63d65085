import type { APIResponse, Browser, BrowserContext, Page } from '@playwright/test';
import {
  acceptMatch,
  appealNotice,
  changeUsername,
  commentOnVent,
  confirmRecoveryCode,
  createReport,
  createVent,
  listNotices,
  makeRecoveryCode,
  matchHistory,
  matchSuggestions,
  react,
  recoverAccount,
  requestOtp,
  updateDetails,
  verifyOtp,
  type Emotion,
  type Endpoint,
  type RequestOf,
  type ResponseOf,
  type VentView,
} from '@unsaid/contract';
import { leaveOthersUnfound } from './seed.ts';
import { codeFor, expect, newPerson, newPhone, newUsername, newWord } from './fixtures.ts';

/** What a journey needs but is not about, done by calls to the server instead of on the screen. */

const tokens = new WeakMap<BrowserContext, string>();

async function call<E extends Endpoint>(
  page: Page,
  { method, path }: E,
  body?: RequestOf<E> extends { body: infer Body } ? Body : never,
): Promise<ResponseOf<E>> {
  const context = page.context();
  const token = tokens.get(context);
  // The context's own requests share its cookies and its user agent.
  const response = await context.request.fetch(path, {
    method,
    data: body,
    headers: {
      'idempotency-key': crypto.randomUUID(),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
  });
  expect(response.ok(), `${path}: ${await response.text()}`).toBe(true);
  return (await response.json()) as ResponseOf<E>;
}

/**
 * Signs up with a new number and stores the session as web/src/lib/session.ts does. The page is left on a file of our
 * origin: the journey itself opens the page that it is about.
 */
export async function signUp(page: Page): Promise<string> {
  const phone = newPhone();
  await call(page, requestOtp, { phone });
  const { token, user } = await call(page, verifyOtp, { phone, otp: await codeFor(phone) });
  tokens.set(page.context(), token);
  await page.goto('/favicon.svg');
  await page.evaluate(
    ([token, accountId]) => {
      localStorage.setItem('unsaid.account', accountId);
      localStorage.setItem('unsaid.token', token);
    },
    [token, user._id] as const,
  );
  return phone;
}

export async function setUsername(page: Page, username = newUsername()): Promise<string> {
  await call(page, changeUsername, { newUsername: username });
  return username;
}

/** The first code of an account, right after sign-up. */
export async function saveRecoveryCode(page: Page): Promise<string> {
  const { code, proof } = await call(page, makeRecoveryCode);
  await call(page, confirmRecoveryCode, { proof });
  return code;
}

/** Someone with another number asks for the account of a code, and has to wait. */
export async function askForAccount(browser: Browser, code: string): Promise<void> {
  const page = await newPerson(browser);
  await signUp(page);
  const response = await page.context().request.post(recoverAccount.path, {
    data: { code },
    headers: { authorization: `Bearer ${tokens.get(page.context())}` },
  });
  expect(await response.json()).toMatchObject({ code: 'RECOVERY_WAITS' });
  await page.context().close();
}

export async function editProfile(
  page: Page,
  details: RequestOf<typeof updateDetails>['body'],
): Promise<void> {
  await call(page, updateDetails, details);
}

export async function report(page: Page, body: RequestOf<typeof createReport>['body']): Promise<void> {
  await call(page, createReport, body);
}

/** Asks for a second look at the newest decision. */
export async function appealFirstNotice(page: Page, text: string): Promise<void> {
  const { notices } = await call(page, listNotices);
  const path = appealNotice.path.replace(':id', notices[0]?._id ?? '');
  await call(page, { ...appealNotice, path: path as typeof appealNotice.path }, { text });
}

/** How the server answers for a vent, which may be gone. */
export async function tryVent(page: Page, id: string): Promise<APIResponse> {
  const token = tokens.get(page.context());
  return page.context().request.get(`/api/vent/${id}`, { headers: { authorization: `Bearer ${token}` } });
}

type NewVent = RequestOf<typeof createVent>['body'];

export async function postVent(page: Page, vent: Partial<NewVent> & { title: string }): Promise<VentView> {
  const { vent: posted } = await call(page, createVent, {
    text: 'Said at last.',
    emotion: 'Anxious',
    ...vent,
  });
  if (!posted) throw new Error('the vent was held back');
  return posted;
}

/** So many vents that there is a second page: without one, vents that wait have no place beside the first. */
export async function postPage(browser: Browser): Promise<void> {
  const other = await newPerson(browser);
  await signUp(other);
  for (let vents = 0; vents < 6; vents += 1) await postVent(other, { title: newWord('Waiting') });
  await other.context().close();
}

/** A vent that goes out later. */
export async function holdBack(page: Page, vent: Partial<NewVent> & { title: string }): Promise<void> {
  await call(page, createVent, { text: 'Said at last.', emotion: 'Anxious', ...vent, later: true });
}

export async function postComment(
  page: Page,
  ventId: string,
  text: string,
  anonymous = false,
): Promise<string> {
  const { comment } = await call(page, commentOnVent, { ventId, text, anonymous });
  return comment._id;
}

export async function reactTo(
  page: Page,
  ventId: string,
  reactionType: RequestOf<typeof react>['body']['reactionType'],
): Promise<void> {
  await call(page, react, { ventId, reactionType, active: true });
}

/** Ends the session on the server, as another device can. The browser does not know of it yet. */
export async function endSession(page: Page): Promise<void> {
  // The live connection would tell it within two seconds.
  await page.route('**/api/live/**', (route) => route.fulfill({ status: 503 }));
  await page.evaluate(async () => {
    const token = localStorage.getItem('unsaid.token');
    await fetch('/api/auth/logout', { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  });
}

/** Says yes to the suggested person of that name. */
export async function acceptSuggestion(page: Page, username: string): Promise<void> {
  const { matches } = await call(page, matchSuggestions);
  const match = matches.find(({ user1, user2 }) => [user1.username, user2.username].includes(username));
  expect(match, `${username} is suggested`).toBeDefined();
  await call(page, acceptMatch, { matchId: match?._id ?? '' });
}

/** How the caller's past matches ended, by the other person's name. */
export async function readHistory(page: Page, ownName: string): Promise<Record<string, string>> {
  const { history } = await call(page, matchHistory);
  return Object.fromEntries(
    history.map(({ user1, user2, status }) => [
      String(user1.username === ownName ? user2.username : user1.username),
      status,
    ]),
  );
}

/** Two new people, each in a context of their own, who are suggested to each other: they share four rare interests. */
export async function signUpAlike(page: Page, browser: Browser, feeling?: Emotion) {
  leaveOthersUnfound();
  const other = await newPerson(browser);
  const word = newUsername();
  const interests = ['a', 'b', 'c', 'd'].map((letter) => word + letter);
  const names: string[] = [];
  for (const one of [page, other]) {
    await signUp(one);
    names.push(await setUsername(one));
    await editProfile(one, { interests, ...(feeling && { feelings: [feeling] }) });
  }
  const [mine = '', theirs = ''] = names;
  return { other, mine, theirs, word };
}
