import type { LiveTick } from '@unsaid/contract';
import type { Page, WebSocket } from '@playwright/test';
import { postComment, postVent, signUp } from './api.ts';
import { blockSockets, expect, logOut, newPerson, openSettings, test } from './fixtures.ts';
import { fullTier } from './tiers.ts';

interface Line {
  readonly socket: WebSocket;
  readonly frames: string[];
  readonly sent: string[];
}

/** The live connections that a page opens. */
function watchLines(page: Page): Line[] {
  const lines: Line[] = [];
  page.on('websocket', (socket) => {
    const line: Line = { socket, frames: [], sent: [] };
    lines.push(line);
    socket.on('framereceived', ({ payload }) => line.frames.push(String(payload)));
    socket.on('framesent', ({ payload }) => line.sent.push(String(payload)));
  });
  return lines;
}

const answersIn = (line: Line | undefined) =>
  line?.frames.map((frame) => (JSON.parse(frame) as LiveTick).counts.answers).at(-1);

test('a tab has one live connection: every frame has 512 bytes, and none causes a request', async ({
  page,
  browser,
  requests,
}) => {
  const lines = watchLines(page);
  await signUp(page);
  const vent = await postVent(page, { title: 'Will somebody answer' });
  await page.goto('/faq');
  await expect.poll(() => lines.at(-1)?.frames.length).toBeGreaterThan(1);
  // Loaded once the page is idle.
  await page.waitForLoadState('networkidle');
  const before = requests.length;
  // The cursor of the first inbox, where its response came after the socket had opened.
  const told = lines.at(-1)?.sent.length;
  const other = await newPerson(browser);
  await signUp(other);
  await postComment(other, vent._id, 'I hear you');
  await expect.poll(() => answersIn(lines.at(-1))).toBe(1);
  await other.close();
  expect(requests.slice(before)).toEqual([]);
  expect(lines).toHaveLength(1);
  expect(lines[0]?.socket.url()).toMatch(/\/api\/live$/u);
  expect(new Set(lines[0]?.frames.map((frame) => frame.length))).toEqual(new Set([512]));
  expect(lines[0]?.sent).toHaveLength(told ?? 0);
});

test(
  'log-out in one tab ends the live connection of the other',
  fullTier('live-connection.test.ts finds it, also for another tab.'),
  async ({ page, context }) => {
    await signUp(page);
    const second = await context.newPage();
    for (const tab of [page, second]) await tab.clock.install();
    const [here, there] = [watchLines(page), watchLines(second)];
    await openSettings(page);
    await second.goto('/faq');
    for (const lines of [here, there])
      await expect.poll(() => lines.at(-1)?.frames.length).toBeGreaterThan(0);
    await logOut(page);
    for (const lines of [here, there])
      await expect.poll(() => lines.every(({ socket }) => socket.isClosed())).toBe(true);
    const opened = here.length + there.length;
    // Longer than any wait before a new connection.
    for (const tab of [page, second]) await tab.clock.runFor(120_000);
    expect(here.length + there.length).toBe(opened);
  },
);

test(
  'where no WebSocket passes, the page polls',
  fullTier('live-connection.test.ts finds a page that does not poll.'),
  async ({ page, complaints, requests }) => {
    complaints.expect(/WebSocket connection to .* failed/u);
    await blockSockets(page);
    await signUp(page);
    await page.clock.install();
    await page.goto('/faq');
    const polls = () => requests.filter((url) => url.endsWith('/api/live/now')).length;
    await expect
      .poll(
        async () => {
          await page.clock.fastForward(5000);
          return polls();
        },
        { intervals: [200] },
      )
      .toBeGreaterThan(2);
    const tickets = requests.filter((url) => url.endsWith('/api/live/ticket')).length;
    expect(tickets).toBe(2);
  },
);
