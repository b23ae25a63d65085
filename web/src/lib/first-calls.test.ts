import { readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { getSelf, listInbox } from '@unsaid/contract';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const boot = readFileSync(join(import.meta.dirname, '../../public/boot.js'), 'utf8');

let server: Server;
let origin: string;
let asked: {
  readonly url: string;
  readonly authorization: string | undefined;
  readonly isClosed: () => boolean;
}[];
let answer: (response: ServerResponse) => void;

beforeEach(async () => {
  asked = [];
  answer = (response) => response.end(JSON.stringify({ success: true, number: asked.length }));
  server = createServer((request, response) => {
    let isClosed = false;
    response.on('close', () => (isClosed = !response.writableFinished));
    const { url = '', headers } = request;
    asked.push({ url, authorization: headers.authorization, isClosed: () => isClosed });
    answer(response);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  open('/inbox');
  sessionStorage.setItem('unsaid.splash', 'seen');
  localStorage.setItem('unsaid.token', 'uns_one');
  localStorage.setItem('unsaid.account', 'u1');
  vi.resetModules();
});

afterEach(() => {
  localStorage.clear();
  server.closeAllConnections();
  server.close();
});

function open(path: string): void {
  (window as unknown as { happyDOM: { setURL: (url: string) => void } }).happyDOM.setURL(origin + path);
}

/** Runs boot.js as the page does, and then the application's modules. */
async function start() {
  const script = document.createElement('script');
  script.dataset['delivery'] = JSON.stringify({
    files: [],
    routes: { '/inbox': [] },
    words: {},
    call: getSelf.path,
    calls: { '/inbox': [`${listInbox.path}?cursor`] },
  });
  vi.spyOn(document, 'currentScript', 'get').mockReturnValue(script);
  // The globals of this file's own DOM: it has a realm of its own, which node:vm does not know.
  const globals = Object.getOwnPropertyNames(window).map(
    (name) => [name, Reflect.get(window, name)] as const,
  );
  runInNewContext(boot, { ...Object.fromEntries(globals), window });
  const [{ apiCall, ApiError }, session, { dropFirstCalls }] = await Promise.all([
    import('./api-client.ts'),
    import('./session.ts'),
    import('./first-calls.ts'),
  ]);
  return { apiCall, ApiError, ...session, dropFirstCalls };
}

const urls = () => asked.map(({ url }) => url).toSorted();

test('the application takes over each call that boot.js sent, once, and leaves nothing on window', async () => {
  localStorage.setItem('unsaid.inbox.u1', 'seen +/=');
  const { apiCall } = await start();
  const inbox = `${listInbox.path}?cursor=seen+%2B%2F%3D`;
  await expect.poll(urls).toEqual([getSelf.path, inbox].toSorted());
  expect(asked.map(({ authorization }) => authorization)).toEqual(['Bearer uns_one', 'Bearer uns_one']);
  expect(Object.keys(window)).not.toContain('unsaidFirst');
  await apiCall(getSelf);
  await apiCall(listInbox, { query: { cursor: 'seen +/=' } });
  expect(asked).toHaveLength(2);
  await apiCall(getSelf);
  expect(asked).toHaveLength(3);
});

test('a call with another cursor, a search or a state of the history is not the one that was sent', async () => {
  const { apiCall } = await start();
  await expect.poll(urls).toEqual([getSelf.path, listInbox.path]);
  await apiCall(listInbox, { query: { cursor: 'newer' } });
  expect(urls()).toEqual([getSelf.path, listInbox.path, `${listInbox.path}?cursor=newer`]);

  for (const change of [
    () => open('/inbox?x=1'),
    () => history.replaceState({ usr: { typed: 'rain' } }, ''),
  ]) {
    asked = [];
    open('/inbox');
    change();
    vi.resetModules();
    await start();
    await expect.poll(urls).toEqual([getSelf.path]);
  }
  history.replaceState(null, '');
});

test('without a token boot.js sends nothing', async () => {
  localStorage.clear();
  const { apiCall } = await start();
  await apiCall(getSelf);
  expect(asked.map(({ authorization }) => authorization)).toEqual([undefined]);
});

test('a response belongs to one token: after a change of it the call is sent again', async () => {
  const { apiCall, startSession } = await start();
  await expect.poll(urls).toHaveLength(2);
  startSession('uns_two', 'u2');
  await apiCall(getSelf);
  expect(asked.at(-1)?.authorization).toBe('Bearer uns_two');
  expect(asked).toHaveLength(3);
  // Dropped for good.
  startSession('uns_one', 'u1');
  await apiCall(getSelf);
  expect(asked).toHaveLength(4);
});

test('a refused token ends the session, and a lost connection does not', async () => {
  answer = (response) => {
    const body = { success: false, message: 'No.', code: 'UNAUTHENTICATED', requestId: 'r1' };
    response.writeHead(401).end(JSON.stringify(body));
  };
  const refused = await start();
  await expect(refused.apiCall(getSelf)).rejects.toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
  expect(refused.getSession().isSignedIn).toBe(false);

  localStorage.setItem('unsaid.token', 'uns_one');
  answer = (response) => response.destroy();
  vi.resetModules();
  const lost = await start();
  await expect(lost.apiCall(getSelf)).rejects.toMatchObject({ kind: 'network' });
  expect(lost.getSession().isSignedIn).toBe(true);
});

test('an abort, a timeout and a drop end what was sent', async () => {
  answer = () => undefined;
  const { apiCall, ApiError, dropFirstCalls } = await start();
  await expect.poll(urls).toHaveLength(2);
  const abort = new AbortController();
  const call = apiCall(getSelf, { signal: abort.signal });
  abort.abort();
  await expect(call).rejects.not.toBeInstanceOf(ApiError);
  const closed = () => asked.filter(({ isClosed }) => isClosed()).map(({ url }) => url);
  await expect.poll(closed).toEqual([getSelf.path]);
  dropFirstCalls();
  await expect.poll(closed).toHaveLength(2);

  vi.resetModules();
  const again = await start();
  await expect.poll(urls).toHaveLength(4);
  const timeout = new AbortController();
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timeout.signal);
  const slow = again.apiCall(getSelf);
  timeout.abort();
  await expect(slow).rejects.toMatchObject({ kind: 'timeout' });
});
