import { limits, requestOtp, verifyOtp } from '@unsaid/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeBudgets, type CodeBudget } from '../src/identity/otp/code-budgets.ts';
import { otpMetrics } from '../src/identity/otp/otp.metrics.ts';
import { readConfig } from '../src/config.ts';
import { newActor, startTestApp, type Actor, type TestApp } from './app.ts';
import { startFaultProxy, type FaultProxy } from './fault-proxy.ts';
import { makePhone, signIn } from './factories.ts';
import { askPaying, mintWork } from './pow.ts';
import { runs, seed } from './runs.ts';

/**
 * Model-based test with random histories of one number: its owner on a known device, the owner on a new one, and
 * strangers who request codes, guess and guess concurrently, while the clock jumps and Redis fails. After each step, a
 * small model says whether the result was allowed. CODE_MODEL_RUNS sets the number of histories.
 */
const histories = runs('CODE_MODEL_RUNS', { change: 40, full: 500 });

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

let app: TestApp;
let redis: FaultProxy;
/** Shared by all histories: more than a day passes between two of them, so every window is empty again. */
const owner = newActor();
let phone: string;
beforeAll(async () => {
  const { redisUrl } = readConfig({ ...process.env, NODE_ENV: 'test' });
  redis = await startFaultProxy({ host: '127.0.0.1', port: Number(new URL(redisUrl).port || 6379) });
  app = await startTestApp({ limitsScale: 1, redisUrl: `redis://127.0.0.1:${redis.port}` });
  ({ phone } = await signIn(app, makePhone(), owner));
});
afterAll(async () => {
  await app.close();
  await redis.close();
});

type Who = 'known device' | 'new device' | 'stranger';

interface Code {
  readonly actor: Actor;
  readonly digits: string;
  readonly until: number;
  comparisons: number;
  /** The comparisons for callers who did not request this code. */
  comparisonsForOthers: number;
  isDead: boolean;
}

interface Send {
  readonly at: number;
  readonly address: string;
  readonly isKnown: boolean;
  readonly wasPaid: boolean;
}

/** The allowed state. */
interface Model {
  readonly newDevice: Actor;
  readonly strangers: readonly Actor[];
  /** Live challenges, oldest first. */
  codes: Code[];
  sends: Send[];
  /** Verifications by browsers that never requested a code. */
  blindTries: { readonly at: number; readonly address: string }[];
}

type World = Record<string, never>;
type Command = fc.AsyncCommand<Model, World>;

const countWithin = (moments: readonly number[], windowMs: number) =>
  moments.filter((at) => at > app.clock.now() - windowMs).length;

function expectWithin(what: string, moments: readonly number[], budgets: readonly CodeBudget[]): void {
  for (const { limit, windowSeconds } of budgets)
    expect(countWithin(moments, windowSeconds * secondMs), what).toBeLessThanOrEqual(limit);
}

const hardBudgets = (name: keyof typeof codeBudgets) =>
  (codeBudgets[name] as readonly CodeBudget[]).filter(({ work }) => !work);
const softBudgets = (name: keyof typeof codeBudgets) =>
  (codeBudgets[name] as readonly CodeBudget[]).filter(({ work }) => work);

function checkBudgets(model: Model): void {
  const { sends, blindTries } = model;
  const byAddress = Map.groupBy(sends, ({ address }) => address);
  const others = sends.filter(({ isKnown }) => !isKnown);
  const at = (list: readonly { readonly at: number }[]) => list.map((one) => one.at);
  expectWithin('codes to a number', at(others), hardBudgets('sendsPerNumber'));
  // The known device uses the number's budget and its own.
  expect(countWithin(at(sends), hourMs)).toBeLessThanOrEqual(5 + 3);
  for (const list of byAddress.values()) {
    const shared = list.filter(({ isKnown }) => !isKnown);
    expectWithin('codes from an address', at(shared), hardBudgets('sendsPerAddress'));
    expectWithin(
      'free codes from an address',
      at(shared.filter((one) => !one.wasPaid)),
      softBudgets('sendsPerAddress'),
    );
  }
  expectWithin(
    'free codes to a prefix',
    at(others.filter((one) => !one.wasPaid)),
    softBudgets('sendsPerPrefix'),
  );
  expectWithin('codes of the service', at(sends), hardBudgets('sendsByService'));
  for (const list of Map.groupBy(blindTries, ({ address }) => address).values())
    expectWithin('blind tries from an address', at(list), hardBudgets('triesWithoutChallengePerAddress'));
}

/** The challenge that a code from this browser is compared with: its own, else the newest. */
function challengeFor(model: Model, actor: Actor): Code | undefined {
  const live = model.codes.filter((code) => code.until > app.clock.now());
  return live.find((code) => code.actor === actor) ?? live.at(-1);
}

/** How many codes from this browser may still be compared with the challenge. */
function triesLeft(code: Code | undefined, actor: Actor): number {
  if (!code || code.isDead) return 0;
  const left = limits.otpTries - code.comparisons;
  return code.actor === actor
    ? left
    : Math.min(left, limits.otpTriesWithoutChallenge - code.comparisonsForOthers);
}

const hasRequested = (actor: Actor) => actor.cookies?.has('otp') ?? false;

async function countComparisons(): Promise<number> {
  return (await otpMetrics(app.deps.metrics).codeComparisons.get()).values[0]?.value ?? 0;
}

const actorOf = (model: Model, who: Who, which: number): Actor =>
  who === 'known device'
    ? owner
    : who === 'new device'
      ? model.newDevice
      : (model.strangers[which % model.strangers.length] as Actor);

/** Every third stranger does the proof of work; the others give up. Owners always do it. */
async function sendRequest(model: Model, actor: Actor) {
  const isLazy = model.strangers.indexOf(actor) % 3 > 0;
  if (!isLazy) return askPaying(app, phone, actor);
  return { ...(await app.call(requestOtp, { as: actor, body: { phone } })), wasWorkAsked: false };
}

async function requestCode(model: Model, who: Who, actor: Actor): Promise<number> {
  const sentBefore = app.deps.outbox.recent()[0];
  const answer = await sendRequest(model, actor);
  if (answer.status !== 200) return answer.status;
  await app.deps.backgroundDone();
  const message = app.deps.outbox.recent()[0];
  expect(message, 'a yes without a message').not.toBe(sentBefore);
  const isKnown = who === 'known device';
  const now = app.clock.now();
  model.sends.push({ at: now, address: actor.address ?? '', isKnown, wasPaid: answer.wasWorkAsked });
  model.codes = model.codes.filter((code) => code.until > now && code.actor !== actor);
  model.codes.push({
    actor,
    digits: message?.code ?? '',
    until: now + limits.otpLifeSeconds * secondMs,
    comparisons: 0,
    comparisonsForOthers: 0,
    isDead: false,
  });
  return 200;
}

/** Concurrent verifications from one browser, each with the right code or a wrong one. */
async function verifyCodes(model: Model, actor: Actor, areRight: readonly boolean[]): Promise<number[]> {
  const code = challengeFor(model, actor);
  const isBlind = !hasRequested(actor);
  const wrong = code?.digits === '000000' ? '000001' : '000000';
  const before = await countComparisons();
  const results = await Promise.all(
    areRight.map(async (isRight) => {
      const body = { phone, otp: isRight && code ? code.digits : wrong };
      // Parallel tabs do not wait for each other's cookies.
      const as = { ...actor, cookies: new Map(actor.cookies) };
      const { status, text } = await app.call(verifyOtp, { as, body });
      expect(isBlind ? [200, 401, 429] : [200, 401], text).toContain(status);
      return { isRight, status };
    }),
  );
  const compared = (await countComparisons()) - before;
  const judged = results.filter(({ status }) => status !== 429).length;
  const left = triesLeft(code, actor);
  const isAlone = areRight.length === 1;
  const entered = results.filter(({ status }) => status === 200).length;
  const now = app.clock.now();

  // A right code ends the challenge while others are in flight: then fewer are compared.
  expect(compared).toBeLessThanOrEqual(Math.min(judged, left));
  if (entered === 0) expect(compared).toBe(Math.min(judged, left));
  expect(entered, 'sessions from one code').toBeLessThanOrEqual(left > 0 ? 1 : 0);
  if (isAlone && results[0]?.isRight && judged === 1)
    expect(entered, 'a right answer in time').toBe(left > 0 ? 1 : 0);
  if (code) {
    code.comparisons += compared;
    if (code.actor !== actor) code.comparisonsForOthers += compared;
    expect(code.comparisons).toBeLessThanOrEqual(limits.otpTries);
  }
  if (entered > 0) {
    for (const one of model.codes) one.isDead = true;
    model.codes = [];
  }
  if (isBlind)
    for (let tries = 0; tries < judged; tries += 1)
      model.blindTries.push({ at: now, address: actor.address ?? '' });
  return results.map(({ status }) => status);
}

function command(
  name: string,
  run: (model: Model) => Promise<void>,
  check: Command['check'] = () => true,
): Command {
  return {
    check,
    async run(model) {
      await run(model);
      checkBudgets(model);
    },
    toString: () => name,
  };
}

const others = fc.constantFrom<Who>('new device', 'stranger', 'stranger');

const requestsCode = fc
  .tuple(fc.constantFrom<Who>('known device', 'new device', 'stranger'), fc.nat(5))
  .map(([who, which]) =>
    command(`${who} ${which} requests a code`, async (model) => {
      expect([200, 428, 429]).toContain(await requestCode(model, who, actorOf(model, who, which)));
    }),
  );

const requestsRepeatedly = others.map((who) =>
  command(`${who} requests codes repeatedly`, async (model) => {
    for (let times = 0; times < 3; times += 1) await requestCode(model, who, actorOf(model, who, 0));
  }),
);

const strangersRequest = fc.nat(5).map((from) =>
  command(`six strangers request codes, from ${from}`, async (model) => {
    for (let which = 0; which < 6; which += 1) {
      await requestCode(model, 'stranger', actorOf(model, 'stranger', from + which));
      app.clock.advance(31 * secondMs);
    }
  }),
);

const entersCode = fc
  .tuple(fc.constantFrom<Who>('known device', 'new device', 'stranger'), fc.nat(5), fc.boolean())
  .map(([who, which, isRight]) =>
    command(
      `${who} ${which} answers ${isRight ? 'rightly' : 'wrongly'}`,
      async (model) => void (await verifyCodes(model, actorOf(model, who, which), [isRight])),
      // A stranger has no right code to send, unless one exists that they could have read.
      (model) => !(isRight && who === 'stranger' && !challengeFor(model, actorOf(model, who, which))),
    ),
  );

const entersConcurrently = fc
  .tuple(others, fc.nat(5), fc.array(fc.boolean(), { minLength: 2, maxLength: 9 }))
  .map(([who, which, areRight]) =>
    command(
      `${who} ${which} answers ${areRight.map((isRight) => (isRight ? '+' : '-')).join('')} at once`,
      async (model) => void (await verifyCodes(model, actorOf(model, who, which), areRight)),
    ),
  );

const strangersGuess = fc.tuple(fc.nat(5), fc.constantFrom(10, 10, 10, 60)).map(([from, times]) =>
  command(`strangers guess ${times} times, from ${from}`, async (model) => {
    for (let guess = 0; guess < times; guess += 1) {
      const which = guess < 6 ? from + guess : (guess % 2) * 3;
      await verifyCodes(model, actorOf(model, 'stranger', which), [false]);
    }
  }),
);

const timePasses = fc
  .constantFrom(1, 29, 30, 31, 299, 300, 301, 900, 3599, 3601, 86_401)
  .map((seconds) => command(`${seconds} s pass`, async () => app.clock.advance(seconds * secondMs)));

/** The guarantee: the owner signs in, whatever strangers did, unless the owner used up their own budget. */
const ownerEnters = fc.constant(
  command(
    'the owner signs in on a known device',
    async (model) => {
      // Waits out the cooldown of a code that the owner requested a moment ago.
      app.clock.advance(31 * secondMs);
      expect(await requestCode(model, 'known device', owner), 'a code for the owner').toBe(200);
      expect(await verifyCodes(model, owner, [true]), 'the owner').toEqual([200]);
    },
    (model) =>
      countWithin(
        model.sends.filter(({ isKnown }) => isKnown).map(({ at }) => at),
        hourMs,
      ) < 3,
  ),
);

/** The same for a new device that has its code: no one can use up its attempts. */
const newDeviceEnters = fc.nat(5).map((from) =>
  command('the owner answers on a new device after strangers guessed', async (model) => {
    if ((await requestCode(model, 'new device', model.newDevice)) !== 200) return;
    for (let which = 0; which < 3; which += 1)
      await verifyCodes(model, actorOf(model, 'stranger', from + which), [false]);
    expect(await verifyCodes(model, model.newDevice, [true]), 'the owner').toEqual([200]);
  }),
);

const redisIsDown = fc.constant(
  command('Redis is away for a moment', async (model) => {
    await redis.refuse();
    const before = await countComparisons();
    const messages = app.deps.outbox.recent()[0];
    const as = model.newDevice;
    const statuses = await Promise.all([
      app.call(requestOtp, { as, body: { phone } }),
      // With proof of work too: without Redis, the server cannot tell whether it was used before.
      app.call(requestOtp, { as, body: { phone, pow: mintWork(app.deps, phone, 'harder') } }),
      app.call(verifyOtp, { as, body: { phone, otp: challengeFor(model, as)?.digits ?? '123456' } }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(await countComparisons()).toBe(before);
    expect(app.deps.outbox.recent()[0]).toBe(messages);
    await redis.restore();
    await expect.poll(() => app.deps.redis.ping(), { interval: 20 }).toBe(true);
  }),
);

const redisLosesData = fc.constant(
  command('Redis loses its memory', async (model) => {
    const keys = await app.redis.keys(`${app.config.redisPrefix}*`);
    if (keys.length > 0) await app.redis.del(keys);
    const old = model.codes.find((code) => code.until > app.clock.now());
    Object.assign(model, { codes: [], sends: [], blindTries: [] });
    // Codes that were sent before are invalid now.
    if (old) expect(await verifyCode(model, old.digits)).toBe(401);
  }),
);

async function verifyCode(model: Model, otp: string): Promise<number> {
  const as = model.newDevice;
  const { status } = await app.call(verifyOtp, { as, body: { phone, otp } });
  if (!hasRequested(as)) model.blindTries.push({ at: app.clock.now(), address: as.address ?? '' });
  return status;
}

/** Redis fails rarely: reconnecting takes real time. */
const rarely = (seldom: fc.Arbitrary<Command>, often: fc.Arbitrary<Command>) =>
  fc.oneof({ arbitrary: seldom, weight: 1 }, { arbitrary: often, weight: 4 });

test('no history gets six comparisons or two sessions out of one code, more than a budget into any window, or the owner locked out of a known device (R8)', async () => {
  let enteredAgain = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.commands(
        [
          requestsCode,
          requestsCode,
          requestsRepeatedly,
          strangersRequest,
          entersCode,
          entersCode,
          entersConcurrently,
          strangersGuess,
          timePasses,
          ownerEnters,
          ownerEnters,
          newDeviceEnters,
          rarely(rarely(redisIsDown, redisLosesData), timePasses),
        ],
        { maxCommands: 20, size: 'max' },
      ),
      async (commands) => {
        app.clock.advance(25 * hourMs);
        const model: Model = {
          newDevice: newActor(),
          strangers: Array.from({ length: 6 }, newActor),
          codes: [],
          sends: [],
          blindTries: [],
        };
        await fc.asyncModelRun(() => ({ model, real: {} }), commands);
        // After every history the owner can sign in.
        app.clock.advance(hourMs);
        expect(await requestCode(model, 'known device', owner)).toBe(200);
        expect(await verifyCodes(model, owner, [true])).toEqual([200]);
        enteredAgain += 1;
      },
    ),
    { numRuns: histories, seed },
  );
  expect(enteredAgain).toBeGreaterThanOrEqual(histories);
});
