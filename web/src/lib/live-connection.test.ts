import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SentRequest } from './testing.tsx';

/** The browser's WebSocket: what the page did with it, and what the network does to it. */
class FakeSocket extends EventTarget {
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = 0;
  readonly sent: string[] = [];
  readonly url: string;
  readonly protocols: string[];
  constructor(url: string, protocols: string[]) {
    super();
    [this.url, this.protocols] = [url, protocols];
    FakeSocket.all.push(this);
  }
  send(text: string): void {
    this.sent.push(text);
  }
  close(): void {
    this.readyState = 3;
  }
  open(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event('open'));
  }
  tick(answers: number): void {
    const counts = { messages: 0, answers, gifts: 0, matches: 0, account: 0 };
    const frame = { kind: 'tick', counts, newestVentAt: null, counted: `tick-${answers}` };
    this.dispatchEvent(Object.assign(new Event('message'), { data: `${JSON.stringify(frame)}   ` }));
  }
  end(code: number): void {
    this.readyState = 3;
    this.dispatchEvent(Object.assign(new Event('close'), { code }));
  }
}

let requests: SentRequest[] = [];
let endSession: () => void = () => undefined;
let respond: (request: SentRequest) => object;
const counts = { messages: 0, answers: 1, gifts: 0, matches: 0, account: 0 };
const paths = () => requests.map(({ path }) => path.split('/').at(-1));
const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const last = () => {
  const socket = FakeSocket.all.at(-1);
  if (!socket) throw new Error('no socket');
  return socket;
};

/** Fresh modules, signed in unless it says otherwise. */
async function start({ isSignedIn = true } = {}) {
  vi.resetModules();
  localStorage.clear();
  const { testServer } = await import('./testing.tsx');
  const session = await import('./session.ts');
  const live = await import('./live.ts');
  const { startLive } = await import('./live-connection.ts');
  requests = testServer((request) => respond(request));
  endSession = () => session.endSession('logout');
  if (isSignedIn) session.startSession('uns_one', 'u1');
  startLive();
  await wait(0);
  return { session, live };
}

function setHidden(isHidden: boolean): void {
  Object.defineProperty(document, 'hidden', { configurable: true, value: isHidden });
  document.dispatchEvent(new Event('visibilitychange'));
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', FakeSocket);
  FakeSocket.all = [];
  respond = () => ({ counts, newestVentAt: null, counted: 'counted-1', ticket: 'tkt' });
});

afterEach(() => {
  // The listeners of this module stay: without a session they do nothing.
  endSession();
  setHidden(false);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('the live connection', () => {
  it('opens after sign-in with a ticket that is not in the URL', async () => {
    const { session } = await start({ isSignedIn: false });
    expect(requests).toEqual([]);
    session.startSession('uns_one', 'u1');
    await wait(0);
    expect(last().url).toBe('ws://127.0.0.1:1/api/live');
    expect(last().protocols).toEqual(['unsaid.1', 'ticket.tkt']);
  });

  it('does not open in a tab that was opened in the background', async () => {
    setHidden(true);
    await start();
    expect(requests).toEqual([]);
    setHidden(false);
    await wait(0);
    expect(paths()).toEqual(['ticket']);
  });

  it('shows the numbers of each tick and makes no request because of it', async () => {
    await start();
    last().open();
    requests.length = 0;
    for (let n = 0; n < 20; n += 1) {
      last().tick(n);
      await wait(25_000);
    }
    expect(requests).toEqual([]);
    expect(FakeSocket.all).toHaveLength(1);
  });

  it('closes after 60 seconds of silence and opens again', async () => {
    await start();
    last().open();
    last().tick(1);
    await wait(59_999);
    expect(FakeSocket.all).toHaveLength(1);
    await wait(1);
    expect(last().readyState).toBe(3);
    await wait(500);
    expect(FakeSocket.all).toHaveLength(2);
  });

  it('waits longer after each failure, at random up to 12 seconds', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.999);
    respond = () => new Response('{}', { status: 503 });
    await start();
    const times: number[] = [];
    for (let n = 0; n < 9; n += 1) {
      const [before, from] = [requests.length, Date.now()];
      while (requests.length === before) await wait(50);
      times.push(Date.now() - from);
    }
    const full = [500, 1000, 2000, 4000, 8000, 12_000, 12_000, 12_000, 12_000];
    for (const [n, time] of times.entries()) expect(Math.abs(time - (full[n] ?? 0))).toBeLessThanOrEqual(100);
  });

  it('polls every 25 seconds after two refused handshakes, and tries the socket again after five minutes', async () => {
    await start();
    last().end(1006);
    await wait(1000);
    last().end(1006);
    requests.length = 0;
    await wait(25_000 * 3);
    expect(paths()).toEqual(['now', 'now', 'now']);
    expect(requests[2]?.body).toEqual({ counted: 'counted-1' });
    await wait(300_000);
    expect(paths().filter((path) => path === 'ticket')).toHaveLength(1);
    expect(FakeSocket.all).toHaveLength(3);
    requests.length = 0;
    // Still blocked: one failure is enough.
    last().end(1006);
    await wait(25_000);
    expect(paths()).toEqual(['now']);
  });

  it.each(['a failure', 'polling'])('opens one socket when the network is back after %s', async (cause) => {
    vi.spyOn(Math, 'random').mockReturnValue(0.999);
    await start();
    last().end(1006);
    if (cause === 'polling') {
      await wait(1000);
      last().end(1006);
    }
    const before = FakeSocket.all.length;
    window.dispatchEvent(new Event('online'));
    await wait(0);
    last().open();
    requests.length = 0;
    for (let n = 0; n < 20; n += 1) {
      last().tick(n);
      await wait(25_000);
    }
    expect(FakeSocket.all).toHaveLength(before + 1);
    expect(requests).toEqual([]);
  });

  it('comes back after a restart within ten seconds, not at once', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    await start();
    last().open();
    last().end(1012);
    await wait(4999);
    expect(FakeSocket.all).toHaveLength(1);
    await wait(1);
    expect(FakeSocket.all).toHaveLength(2);
  });

  it('closes when the tab has been hidden for five minutes, and opens when it is seen again', async () => {
    await start();
    last().open();
    setHidden(true);
    for (let n = 0; n < 11; n += 1) {
      await wait(25_000);
      last().tick(1);
    }
    expect(last().readyState).toBe(1);
    await wait(25_000);
    expect(last().readyState).toBe(3);
    await wait(600_000);
    expect(FakeSocket.all).toHaveLength(1);
    setHidden(false);
    await wait(0);
    expect(FakeSocket.all).toHaveLength(2);
  });

  it('ends at log-out, here and in another tab, and the numbers go', async () => {
    const { session, live } = await start();
    last().open();
    last().tick(5);
    const seenCounts: number[] = [];
    const { renderHook } = await import('@testing-library/react');
    const { result } = renderHook(() => live.useLiveCounts());
    seenCounts.push(result.current.answers);
    localStorage.removeItem('unsaid.token');
    window.dispatchEvent(Object.assign(new Event('storage'), { key: 'unsaid.token', newValue: null }));
    expect(session.getSession().isSignedIn).toBe(false);
    expect(last().readyState).toBe(3);
    await wait(600_000);
    expect(FakeSocket.all).toHaveLength(1);
    expect(seenCounts).toEqual([5]);
    const { result: after } = renderHook(() => live.useLiveCounts());
    expect(after.current.answers).toBe(0);
  });

  it('asks again when the server says that the session has ended, and ends it if that is so', async () => {
    const { session } = await start();
    last().open();
    respond = () => new Response('{"success":false}', { status: 401 });
    last().end(4401);
    await wait(1999);
    expect(session.getSession().isSignedIn).toBe(true);
    await wait(1);
    expect(session.getSession().isSignedIn).toBe(false);
  });

  it('tells what was read, here and in another tab, and sends the cursor with its next ticket', async () => {
    const { live } = await start();
    // Before it is open, the cursor of the ticket is the old one.
    localStorage.setItem('unsaid.inbox.u1', 'first');
    live.seen('first');
    expect(last().sent).toEqual([]);
    last().open();
    expect(last().sent).toEqual(['{"kind":"seen","cursor":"first"}']);
    live.seen('second');
    window.dispatchEvent(Object.assign(new Event('storage'), { key: 'unsaid.inbox.u1', newValue: 'third' }));
    window.dispatchEvent(Object.assign(new Event('storage'), { key: 'unsaid.inbox.u2', newValue: 'no' }));
    expect(last().sent.slice(1)).toEqual([
      '{"kind":"seen","cursor":"second"}',
      '{"kind":"seen","cursor":"third"}',
    ]);
    last().tick(7);
    last().end(4408);
    await wait(500);
    expect(requests.at(-1)?.body).toEqual({ cursor: 'first', counted: 'tick-7' });
  });

  it('counts from the last visit of the inbox on, and not from what was opened', async () => {
    await start();
    localStorage.setItem('unsaid.inbox.u1', 'opened');
    localStorage.setItem('unsaid.visited.u1', 'visited');
    last().end(4408);
    await wait(500);
    expect(requests.at(-1)?.body).toMatchObject({ cursor: 'visited' });
    last().open();
    window.dispatchEvent(Object.assign(new Event('storage'), { key: 'unsaid.inbox.u1', newValue: 'no' }));
    window.dispatchEvent(
      Object.assign(new Event('storage'), { key: 'unsaid.visited.u1', newValue: 'later' }),
    );
    expect(last().sent).toEqual(['{"kind":"seen","cursor":"later"}']);
  });

  it('does not show counts that are older than a visit of the inbox', async () => {
    const answer = respond;
    respond = (request) => {
      localStorage.setItem('unsaid.visited.u1', 'visited');
      return answer(request);
    };
    const { live } = await start();
    expect(live.getLiveCounts().answers).toBe(0);
    last().open();
    expect(last().sent).toEqual(['{"kind":"seen","cursor":"visited"}']);
  });
});
