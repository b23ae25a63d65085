import { codeBudgets, limits, requestOtp, verifyOtp, type CodeBudget } from '@unsaid/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { newActor, startTestApp, type Actor, type TestApp } from './app.ts';
import { startFaultProxy, type FaultProxy } from './fault-proxy.ts';
import { makePhone, signIn } from './make.ts';
import { callPaying, mintWork } from './pay.ts';

/**
 * Random histories of one number: its owner on a known device, the owner on a new one, and strangers who ask,
 * guess and guess at once, while the clock jumps and Redis is lost. A small model of what may be says after each
 * step whether it was. CODE_MODEL_RUNS sets how many.
 */
const runs = Number(process.env['CODE_MODEL_RUNS'] ?? 500);

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

let app: TestApp;
let redis: FaultProxy;
/** One for all histories: between two of them more than a day passes, and with it every window. */
const owner = newActor();
let phone: string;
beforeAll(async () => {
  const { redisUrl } = readConfig(process.env);
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
  readonly isKnown: boolean;
  comparisons: number;
  isDead: boolean;
}

interface Send {
  readonly at: number;
  readonly address: string;
  readonly isKnown: boolean;
  readonly wasPaid: boolean;
}

/** What may be. */
interface Model {
  readonly newDevice: Actor;
  readonly strangers: readonly Actor[];
  /** Living challenges, oldest first. */
  codes: Code[];
  sends: Send[];
  /** Wrong answers of others than the known device, by their moment. */
  failures: { readonly at: number; readonly address: string; readonly wasPaid: boolean }[];
  /** The same since the last right answer. */
  failuresInARow: number[];
  ownFailures: number[];
}

type World = Record<string, never>;
type Command = fc.AsyncCommand<Model, World>;

const within = (moments: readonly number[], windowMs: number) =>
  moments.filter((at) => at > app.clock.now() - windowMs).length;

function expectWithin(what: string, moments: readonly number[], budgets: readonly CodeBudget[]): void {
  for (const { limit, windowSeconds } of budgets)
    expect(within(moments, windowSeconds * secondMs), what).toBeLessThanOrEqual(limit);
}

const hard = (name: keyof typeof codeBudgets) =>
  (codeBudgets[name] as readonly CodeBudget[]).filter(({ work }) => !work);
const soft = (name: keyof typeof codeBudgets) =>
  (codeBudgets[name] as readonly CodeBudget[]).filter(({ work }) => work);

function checkBudgets(model: Model): void {
  const { sends, failures } = model;
  const byAddress = Map.groupBy(sends, ({ address }) => address);
  const others = sends.filter(({ isKnown }) => !isKnown);
  const at = (list: readonly { readonly at: number }[]) => list.map((one) => one.at);
  expectWithin('codes to a number', at(others), hard('sendsPerNumber'));
  // The known device draws on the number's and on its own.
  expect(within(at(sends), hourMs)).toBeLessThanOrEqual(5 + 3);
  for (const list of byAddress.values()) {
    const shared = list.filter(({ isKnown }) => !isKnown);
    expectWithin('codes from an address', at(shared), hard('sendsPerAddress'));
    expectWithin(
      'free codes from an address',
      at(shared.filter((one) => !one.wasPaid)),
      soft('sendsPerAddress'),
    );
  }
  expectWithin('free codes to a prefix', at(others.filter((one) => !one.wasPaid)), soft('sendsPerPrefix'));
  expectWithin('codes of the service', at(sends), hard('sendsByService'));
  expectWithin('wrong answers in a row', model.failuresInARow, hard('failuresInARow'));
  expectWithin('wrong answers of a known device', model.ownFailures, hard('failuresPerKnownDevice'));
  expectWithin(
    'free wrong answers to a number',
    at(failures.filter((one) => !one.wasPaid)),
    soft('failuresPerNumber'),
  );
  for (const list of Map.groupBy(failures, ({ address }) => address).values()) {
    expectWithin('wrong answers from an address', at(list), hard('failuresPerAddress'));
    const free = list.filter((one) => !one.wasPaid);
    expectWithin('free wrong answers from an address', at(free), soft('failuresPerAddress'));
  }
}

/** The challenge that an answer of this browser is held against: its own, else the newest. */
function chosen(model: Model, actor: Actor): Code | undefined {
  const live = model.codes.filter((code) => code.until > app.clock.now());
  return live.find((code) => code.actor === actor) ?? live.at(-1);
}

async function comparisons(): Promise<number> {
  return (await app.deps.metrics.codeComparisons.get()).values[0]?.value ?? 0;
}

const actorOf = (model: Model, who: Who, which: number): Actor =>
  who === 'known device'
    ? owner
    : who === 'new device'
      ? model.newDevice
      : (model.strangers[which % model.strangers.length] as Actor);

/** Every third stranger does the work that is asked for; the others go away. Owners always do it. */
async function callAs<E extends typeof requestOtp | typeof verifyOtp>(
  model: Model,
  actor: Actor,
  endpoint: E,
  options: Parameters<typeof callPaying<E>>[2],
) {
  const isLazy = model.strangers.indexOf(actor) % 3 > 0;
  if (!isLazy) return callPaying(app, endpoint, options);
  return { ...(await app.call(endpoint, options as never)), wasWorkAsked: false };
}

async function ask(model: Model, who: Who, actor: Actor): Promise<number> {
  const sentBefore = app.deps.outbox.recent()[0];
  const answer = await callAs(model, actor, requestOtp, { as: actor, body: { phone } });
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
    isKnown,
    comparisons: 0,
    isDead: false,
  });
  if (model.codes.length > 3) {
    const gone = model.codes.findIndex((code) => !code.isKnown);
    model.codes.splice(Math.max(0, gone), 1);
  }
  return 200;
}

/** Some answers at once from one browser, each the right one or a wrong one. */
async function answer(model: Model, who: Who, actor: Actor, areRight: readonly boolean[]): Promise<number[]> {
  const code = chosen(model, actor);
  const wrong = code?.digits === '000000' ? '000001' : '000000';
  const before = await comparisons();
  const answers = await Promise.all(
    areRight.map(async (isRight) => {
      const body = { phone, otp: isRight && code ? code.digits : wrong };
      // Cookies of parallel tabs do not wait for each other.
      const as = { ...actor, cookies: new Map(actor.cookies) };
      const answered = await callAs(model, actor, verifyOtp, { as, body });
      expect([200, 401, 428, 429], answered.text).toContain(answered.status);
      return { isRight, status: answered.status, wasPaid: answered.wasWorkAsked };
    }),
  );
  const compared = (await comparisons()) - before;
  const judged = answers.filter(({ status }) => status < 428).length;
  const left = code && !code.isDead ? limits.otpTries - code.comparisons : 0;
  const isAlone = areRight.length === 1;
  const entered = answers.filter(({ status }) => status === 200).length;
  const now = app.clock.now();

  // A right answer ends the code while others are on their way: then fewer are compared.
  expect(compared).toBeLessThanOrEqual(Math.min(judged, left));
  if (entered === 0) expect(compared).toBe(Math.min(judged, left));
  expect(entered, 'sessions from one code').toBeLessThanOrEqual(left > 0 ? 1 : 0);
  if (isAlone && answers[0]?.isRight && answers[0].status < 428)
    expect(entered, 'a right answer in time').toBe(left > 0 ? 1 : 0);
  if (code) {
    code.comparisons += compared;
    expect(code.comparisons).toBeLessThanOrEqual(limits.otpTries);
  }
  if (entered > 0) {
    for (const one of model.codes) one.isDead = true;
    model.codes = [];
  }
  for (const { status, wasPaid } of answers) {
    if (status !== 401) continue;
    if (who === 'known device') model.ownFailures.push(now);
    else {
      model.failures.push({ at: now, address: actor.address ?? '', wasPaid });
      model.failuresInARow.push(now);
    }
  }
  // Which of several at once came first is not known: whatever came before the right one is forgiven.
  if (entered > 0) model.failuresInARow = [];
  return answers.map(({ status }) => status);
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

const asks = fc
  .tuple(fc.constantFrom<Who>('known device', 'new device', 'stranger'), fc.nat(5))
  .map(([who, which]) =>
    command(`${who} ${which} asks`, async (model) => {
      expect([200, 428, 429]).toContain(await ask(model, who, actorOf(model, who, which)));
    }),
  );

const asksAgain = others.map((who) =>
  command(`${who} asks and asks again`, async (model) => {
    for (let times = 0; times < 3; times += 1) await ask(model, who, actorOf(model, who, 0));
  }),
);

const floods = fc.nat(5).map((from) =>
  command(`six strangers ask, from ${from}`, async (model) => {
    for (let which = 0; which < 6; which += 1) {
      await ask(model, 'stranger', actorOf(model, 'stranger', from + which));
      app.clock.advance(31 * secondMs);
    }
  }),
);

const answers = fc
  .tuple(fc.constantFrom<Who>('known device', 'new device', 'stranger'), fc.nat(5), fc.boolean())
  .map(([who, which, isRight]) =>
    command(
      `${who} ${which} answers ${isRight ? 'rightly' : 'wrongly'}`,
      async (model) => void (await answer(model, who, actorOf(model, who, which), [isRight])),
      // A stranger has no right answer to give, but to a code of their own challenge they may have read.
      (model) => !(isRight && who === 'stranger' && !chosen(model, actorOf(model, who, which))),
    ),
  );

const answersAtOnce = fc
  .tuple(others, fc.nat(5), fc.array(fc.boolean(), { minLength: 2, maxLength: 9 }))
  .map(([who, which, areRight]) =>
    command(
      `${who} ${which} answers ${areRight.map((isRight) => (isRight ? '+' : '-')).join('')} at once`,
      async (model) => void (await answer(model, who, actorOf(model, who, which), areRight)),
    ),
  );

const guesses = fc.tuple(fc.nat(5), fc.constantFrom(10, 10, 10, 60)).map(([from, times]) =>
  command(`strangers guess ${times} times, from ${from}`, async (model) => {
    for (let guess = 0; guess < times; guess += 1) {
      // The first six as they come; then those who work for it.
      const which = guess < 6 ? from + guess : (guess % 2) * 3;
      await answer(model, 'stranger', actorOf(model, 'stranger', which), [false]);
    }
  }),
);

const waits = fc
  .constantFrom(1, 29, 30, 31, 299, 300, 301, 900, 3599, 3601, 86_401)
  .map((seconds) => command(`${seconds} s pass`, async () => app.clock.advance(seconds * secondMs)));

/** The promise: whatever strangers have done, and as long as the owner has not used up their own. */
const ownerEnters = fc.constant(
  command(
    'the owner signs in on a known device',
    async (model) => {
      // Two minutes at most, of which the owner waits out what they asked for a moment ago themselves.
      app.clock.advance(31 * secondMs);
      expect(await ask(model, 'known device', owner), 'a code for the owner').toBe(200);
      expect(await answer(model, 'known device', owner, [true]), 'the owner').toEqual([200]);
    },
    (model) =>
      within(
        model.sends.filter(({ isKnown }) => isKnown).map(({ at }) => at),
        hourMs,
      ) < 3 && within(model.ownFailures, hourMs) < 10,
  ),
);

const losesRedis = fc.constant(
  command('Redis is away for a moment', async (model) => {
    await redis.refuse();
    const before = await comparisons();
    const messages = app.deps.outbox.recent()[0];
    const as = model.newDevice;
    const statuses = await Promise.all([
      app.call(requestOtp, { as, body: { phone } }),
      // Also with work: whether it was used before cannot be told now.
      app.call(requestOtp, { as, body: { phone, pow: mintWork(app.deps, 'send signin', phone, 'harder') } }),
      app.call(verifyOtp, { as, body: { phone, otp: chosen(model, as)?.digits ?? '123456' } }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(await comparisons()).toBe(before);
    expect(app.deps.outbox.recent()[0]).toBe(messages);
    await redis.restore();
    await expect.poll(() => app.deps.redis.ping(), { interval: 20 }).toBe(true);
  }),
);

const forgets = fc.constant(
  command('Redis loses its memory', async (model) => {
    const keys = await app.redis.keys(`${app.config.redisPrefix}*`);
    if (keys.length > 0) await app.redis.del(keys);
    const old = model.codes.find((code) => code.until > app.clock.now());
    Object.assign(model, { codes: [], sends: [], failures: [], failuresInARow: [], ownFailures: [] });
    // What was sent before is worth nothing now.
    if (old) expect(await answerWith(model, old.digits)).toBe(401);
  }),
);

async function answerWith(model: Model, otp: string): Promise<number> {
  const as = model.newDevice;
  const { status } = await app.call(verifyOtp, { as, body: { phone, otp } });
  const now = app.clock.now();
  model.failures.push({ at: now, address: as.address ?? '', wasPaid: false });
  model.failuresInARow.push(now);
  return status;
}

/** Redis is lost seldom: coming back takes real time. */
const rarely = (seldom: fc.Arbitrary<Command>, often: fc.Arbitrary<Command>) =>
  fc.oneof({ arbitrary: seldom, weight: 1 }, { arbitrary: often, weight: 4 });

test(
  'no history gets six comparisons out of a code, two sessions out of one, more than a budget into any window, or the owner locked out of a known device',
  { timeout: 600_000 },
  async () => {
    let enteredAgain = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.commands(
          [
            asks,
            asks,
            asksAgain,
            floods,
            answers,
            answers,
            answersAtOnce,
            guesses,
            waits,
            ownerEnters,
            ownerEnters,
            rarely(rarely(losesRedis, forgets), waits),
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
            failures: [],
            failuresInARow: [],
            ownFailures: [],
          };
          await fc.asyncModelRun(() => ({ model, real: {} }), commands);
          // However it went, the owner gets in at last.
          app.clock.advance(hourMs);
          expect(await ask(model, 'known device', owner)).toBe(200);
          expect(await answer(model, 'known device', owner, [true])).toEqual([200]);
          enteredAgain += 1;
        },
      ),
      { numRuns: runs },
    );
    expect(enteredAgain).toBeGreaterThanOrEqual(runs);
  },
);
