import {
  liveCloseCodes,
  livePace,
  livePath,
  liveProtocol,
  liveTicketPrefix,
  openLiveTicket,
  pollLiveCounts,
  type LiveTick,
} from '@unsaid/contract';
import { apiCall } from './api-client.ts';
import { getLiveCounts, onSeen, setLiveNews, type LiveNews } from './live.ts';
import { getAccountId, getSession, subscribeToSession } from './session.ts';
import { inboxCursorKey, readInboxCursor, readVisitCursor, visitCursorKey } from './inbox-cursor.ts';

/**
 * The live connection of this tab: a WebSocket while somebody is signed in and the tab is in use, or polling where the
 * network lets no WebSocket through. Chat will send and receive frames of its own kinds here.
 */

const silentMs = 60_000;
const hiddenMs = 300_000;
const firstRetryMs = 500;
/** Below the 15 s within which 99 % are to be back after an outage. */
const longestRetryMs = 12_000;
const restartMs = 10_000;
/** Time for another tab's log-out to arrive here first. */
const sessionEndMs = 2000;
const handshakesUntilPolling = 2;
/** While polling, the socket is tried again this often. */
const pollingMs = 300_000;

let isWanted = false;
let socket: WebSocket | null = null;
/** Changes with every attempt; the answer to an earlier one is dropped. */
let attempt = 0;
/** Since the last frame. */
let failures = 0;
/** Handshakes in a row that did not open. */
let refusals = 0;
/** Given by the last response or tick, for the next request. */
let counted: string | undefined;
/** The next step: connecting or polling. */
let next = 0;
let silence = 0;
let hidden = 0;

function cursor(): string | undefined {
  const accountId = getAccountId() ?? '';
  return readVisitCursor(accountId) ?? readInboxCursor(accountId);
}

function then(step: () => void, ms: number): void {
  clearTimeout(next);
  next = window.setTimeout(step, ms);
}

function learn(answer: LiveNews & { readonly counted: string }): void {
  ({ counted } = answer);
  setLiveNews(answer);
}

/** Full jitter: after an outage not everybody comes back at once. */
function retry(): void {
  then(connect, Math.random() * Math.min(longestRetryMs, firstRetryMs * 2 ** failures));
  failures += 1;
}

function connect(): void {
  // A retry or a poll that was due later would open a second socket.
  clearTimeout(next);
  attempt += 1;
  const mine = attempt;
  const sent = cursor();
  void apiCall(openLiveTicket, { body: { cursor: sent, counted } }).then(
    ({ ticket, ...answer }) => {
      if (mine !== attempt) return;
      // The inbox was visited meanwhile: these counts are older. The next tick has those of now.
      learn(cursor() === sent ? answer : { ...answer, counts: getLiveCounts() });
      open(ticket, sent);
    },
    // A refused token has ended the session, and with it this attempt.
    () => mine === attempt && retry(),
  );
}

function open(ticket: string, sent: string | undefined): void {
  const made = new WebSocket(location.origin.replace('http', 'ws') + livePath, [
    liveProtocol,
    liveTicketPrefix + ticket,
  ]);
  let isOpen = false;
  socket = made;
  const listen = () => {
    clearTimeout(silence);
    silence = window.setTimeout(() => ended(), silentMs);
  };
  const ended = (code?: number) => {
    if (socket !== made) return;
    drop();
    if (!isOpen) refusals += 1;
    if (refusals >= handshakesUntilPolling) poll(Date.now() + pollingMs);
    else if (code === liveCloseCodes.restart) then(connect, Math.random() * restartMs);
    else if (code === liveCloseCodes.sessionEnded) then(connect, sessionEndMs);
    else retry();
  };
  listen();
  made.addEventListener('open', () => {
    isOpen = true;
    refusals = 0;
    const now = cursor();
    if (now !== undefined && now !== sent) tell(now);
  });
  made.addEventListener('message', ({ data }) => {
    failures = 0;
    listen();
    const frame = JSON.parse(String(data)) as LiveTick;
    if (frame.kind === 'tick') learn(frame);
  });
  made.addEventListener('close', ({ code }) => ended(code));
}

/** At the pace of ticks, without a socket. */
function poll(until: number): void {
  then(() => {
    if (Date.now() >= until) return connect();
    attempt += 1;
    const mine = attempt;
    void apiCall(pollLiveCounts, { body: { cursor: cursor(), counted } })
      .then((answer) => mine === attempt && learn(answer))
      .catch(() => undefined)
      .then(() => mine === attempt && poll(until));
  }, livePace.tickMs);
}

/** Forgets the socket, and closes it. */
function drop(): void {
  clearTimeout(silence);
  const old = socket;
  socket = null;
  old?.close();
}

function stop(): void {
  attempt += 1;
  clearTimeout(next);
  drop();
  failures = 0;
  refusals = 0;
}

function want(wanted: boolean): void {
  if (wanted === isWanted) return;
  isWanted = wanted;
  if (wanted) connect();
  else stop();
}

function tell(read: string): void {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ kind: 'seen', cursor: read }));
}

function followVisibility(): void {
  clearTimeout(hidden);
  if (!document.hidden) want(getSession().isSignedIn);
  else hidden = window.setTimeout(() => want(false), hiddenMs);
}

export function startLive(): void {
  let session = getSession();
  subscribeToSession(() => {
    if (getSession() === session) return;
    session = getSession();
    // It may be another account.
    want(false);
    counted = undefined;
    followVisibility();
  });
  document.addEventListener('visibilitychange', followVisibility);
  window.addEventListener('online', () => {
    if (!isWanted || socket) return;
    failures = 0;
    connect();
  });
  // The inbox was visited, or a line of it opened, in another tab.
  window.addEventListener('storage', ({ key, newValue }) => {
    const accountId = getAccountId() ?? '';
    const isCounted =
      key === visitCursorKey(accountId) ||
      (key === inboxCursorKey(accountId) && readVisitCursor(accountId) === undefined);
    if (newValue !== null && isCounted) tell(newValue);
  });
  onSeen(tell);
  if (!document.hidden) want(session.isSignedIn);
}
