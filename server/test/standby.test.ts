import {
  commentOnVent,
  createVent,
  deleteVent,
  getVent,
  listComments,
  listVents,
  react,
  searchVents,
  type Endpoint,
} from '@unsaid/contract';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { migrate } from '../../testkit/server-process.ts';
import {
  startTempPostgres,
  startTempStandby,
  type TempPostgres,
  type TempStandby,
} from '../../testkit/temp-postgres.ts';
import { productionTimeouts, startBeside, useTestApp, type TestApp } from './app.ts';
import { makeUser, makeVent, type Person } from './factories.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { fullTier, runs } from './runs.ts';

/** Reads from a real standby that streams from a real primary, by two processes. */

const rounds = runs('STANDBY_WRITES', { change: 100, full: 200 });
/** Longer than a pin and a cached page. */
const pinIsOverMs = 60_000;

describe('a standby for reads', fullTier('Only a deployment with CONTENT_READ_URL meets it.'), () => {
  const app = useTestApp();
  let primary: TempPostgres;
  let standby: TempStandby;
  let writer: TestApp;
  let reader: TestApp;
  let [ann, ben]: [Person, Person] = [] as never;

  const start = (contentReadUrl: string) =>
    startBeside(app, {
      ...productionTimeouts,
      databaseUrl: primary.url,
      contentReadUrl,
      redisPrefix: `${app.config.redisPrefix}standby:`,
      limitsScale: 100_000,
    });

  beforeAll(async () => {
    primary = await startTempPostgres();
    migrate({ NODE_ENV: 'test', DATABASE_URL: primary.url });
    standby = await startTempStandby(primary);
    [writer, reader] = [await start(standby.url), await start(standby.url)];
    [ann, ben] = [await makeUser(writer), await makeUser(writer)];
  });
  afterAll(async () => {
    await writer?.close();
    await reader?.close();
    await standby?.remove();
    await primary?.remove();
  });

  const countReads = async (of: TestApp, to: string) =>
    (await of.deps.metrics.contentReads.get()).values.find(({ labels }) => labels.to === to)?.value ?? 0;
  const untilFresh = (isFresh: boolean, of: TestApp = reader) =>
    vi.waitUntil(() => of.deps.standby?.watch.isFresh() === isFresh, { timeout: 60_000, interval: 20 });
  /** Repeats a read until it came from the standby: on a machine that stalls it may be too old for a moment. */
  const untilRead = (of: TestApp, read: () => Promise<unknown>) =>
    vi.waitUntil(
      async () => {
        const before = await countReads(of, 'standby');
        await read();
        return (await countReads(of, 'standby')) > before;
      },
      { timeout: 60_000, interval: 20 },
    );
  const pause = () => standby.sql('select pg_wal_replay_pause()');
  const resume = () => standby.sql('select pg_wal_replay_resume()');
  /** A browser that has a pin whose time is over: its reads may go to the standby. */
  async function letGo(person: Person): Promise<string> {
    await reader.call(listVents, { as: person });
    reader.clock.advance(pinIsOverMs);
    return person.cookies?.get('pin') ?? '';
  }
  const titlesFor = async (as: Person, query: Record<string, string> = {}) => {
    const { status, body, text } = await reader.call(listVents, { as, query });
    expect(status, text).toBe(200);
    return body.vents.map(({ title }) => title);
  };

  /** One write of each kind in turn, and what its author must see of it at the other process. */
  async function writeAndRead(n: number): Promise<void> {
    const title = `written ${n}`;
    const body = { title, text: `words ${n}`, emotion: 'Sad' } as const;
    const { id } = await makeVent(writer, ann, body);
    // Fills the cached pages of the standby meanwhile, after the write has invalidated them.
    await titlesFor(ben);
    expect((await titlesFor(ann))[0], title).toBe(title);
    expect((await titlesFor(ann, { emotion: 'Sad' }))[0]).toBe(title);
    const found = await reader.call(searchVents, { as: ann, query: { query: `words ${n}` } });
    expect(found.body.vents.map((vent) => vent.title)).toContain(title);
    await writer.call(react, { as: ann, body: { ventId: id, reactionType: 'hug', active: true } });
    await writer.call(commentOnVent, { as: ann, body: { ventId: id, text: 'mine', anonymous: false } });
    const { vent } = (await reader.call(getVent, { as: ann, params: { id } })).body;
    expect([vent.myReactions, vent.comments.map(({ text }) => text)]).toEqual([['hug'], ['mine']]);
    const { comments } = (await reader.call(listComments, { as: ann, params: { id }, query: {} })).body;
    expect(comments).toHaveLength(1);
    await writer.call(deleteVent, { as: ann, params: { id } });
    expect(await titlesFor(ann)).not.toContain(title);
    expect((await reader.call(getVent, { as: ann, params: { id } })).status).toBe(404);
  }

  test('a person without a recent write reads from the standby, and sees what others wrote', async () => {
    await untilFresh(true);
    const { id } = await makeVent(writer, ann, { title: 'of ann' });
    await letGo(ben);
    await vi.waitUntil(() => standby.sql('select count(*) from content.vents') === '1', { timeout: 60_000 });
    const calls: [Endpoint, object][] = [
      [listVents, {}],
      [listVents, { query: { sort: 'trending' } }],
      [getVent, { params: { id } }],
      [searchVents, { query: { query: 'ann' } }],
      [listComments, { params: { id } }],
    ];
    for (const [endpoint, input] of calls)
      await untilRead(reader, async () => {
        const { status, text } = await reader.call(endpoint, { as: ben, ...input });
        expect(status, text).toBe(200);
      });
    expect(await titlesFor(ben)).toEqual(['of ann']);
    await writer.call(deleteVent, { as: ann, params: { id } });
  });

  test(`a writer sees each of ${rounds} writes at another process at once, with the standby following, paused and away`, async () => {
    for (let n = 0; n < rounds; n += 1) {
      if (n === Math.floor(rounds / 3)) pause();
      if (n === Math.floor((2 * rounds) / 3)) {
        resume();
        await standby.killHard();
      }
      if (n % 20 === 0) await letGo(ben);
      await writeAndRead(n);
    }
    await standby.start();
    await untilFresh(true);
  });

  test('the standby is really behind while it is paused: whoever lost their pin reads an old page, until it is too old', async () => {
    const free = await letGo(ann);
    // A stalled machine makes the standby too old before the read: then it is tried again.
    const isStale = async () => {
      await untilFresh(true);
      pause();
      const { id } = await makeVent(writer, ann, { title: 'too new' });
      ann.cookies?.set('pin', free);
      const titles = await titlesFor(ann);
      const wasFresh = reader.deps.standby?.watch.isFresh() === true;
      if (wasFresh) expect(titles).not.toContain('too new');
      else {
        resume();
        await writer.call(deleteVent, { as: ann, params: { id } });
      }
      return wasFresh;
    };
    await vi.waitUntil(isStale, { timeout: 60_000, interval: 1 });
    // 3 s behind: everybody reads from the primary.
    await untilFresh(false);
    reader.clock.advance(2000);
    expect(await titlesFor(ben)).toContain('too new');
    expect(await reader.deps.metrics.standbyLagSeconds.get()).toMatchObject({
      values: [{ value: expect.any(Number) }],
    });
    resume();
    await untilFresh(true);
    reader.clock.advance(2000);
    await untilRead(reader, async () => expect(await titlesFor(ben)).toContain('too new'));
  });

  test('a standby that is killed, restarted or silent fails no read, and is used again by itself', async () => {
    const proxy = await startFaultProxy({ host: '127.0.0.1', port: standby.port });
    const url = standby.url.replace(`:${standby.port}/`, `:${proxy.port}/`);
    const behind = await start(url);
    onTestFinished(async () => {
      await behind.close();
      await proxy.close();
    });
    const { id } = await makeVent(writer, ann, { title: 'stays' });
    await letGo(ben);
    const readAll = async () => {
      for (let n = 0; n < 20; n += 1)
        expect((await behind.call(getVent, { as: ben, params: { id } })).status).toBe(200);
    };
    const faults: [() => unknown, () => unknown][] = [
      [() => standby.killHard(), () => standby.start()],
      [() => proxy.refuse(), () => proxy.restore()],
      [() => proxy.blackHole(), () => proxy.restore()],
    ];
    for (const [breaks, mends] of faults) {
      await untilFresh(true, behind);
      await readAll();
      await breaks();
      await readAll();
      await untilFresh(false, behind);
      await readAll();
      await mends();
      await untilFresh(true, behind);
      await untilRead(behind, readAll);
    }
  });

  test('an idle primary gives no false lag, also after a switch of its log', async () => {
    for (const text of ['select pg_switch_wal()', 'checkpoint']) {
      primary.sql(text);
      await untilFresh(true);
      const asked = performance.now();
      // Twice the bound.
      await vi.waitUntil(() => performance.now() - asked > 6000, { timeout: 60_000, interval: 100 });
      await untilFresh(true);
    }
  });

  test('a promoted standby is not read: it would be another history', async () => {
    const second = await startTempStandby(primary);
    onTestFinished(second.remove);
    const follower = await start(second.url);
    onTestFinished(follower.close);
    await untilFresh(true, follower);
    second.sql('select pg_promote()');
    await untilFresh(false, follower);
    const { id } = await makeVent(writer, ann, { title: 'after the split' });
    await letGo(ben);
    expect((await follower.call(getVent, { as: ben, params: { id } })).status).toBe(200);
    expect(follower.deps.standby?.watch.isFresh()).toBe(false);
  });

  test('writes are never sent there', async () => {
    await untilFresh(true);
    const { status } = await reader.call(createVent, {
      as: ben,
      body: { title: 'x', text: 'y', emotion: 'Sad' },
    });
    expect(status).toBe(201);
  });
});
