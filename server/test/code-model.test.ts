import { codeBudgets, limits, requestOtp, verifyOtp, type CodeBudget } from '@unsaid/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { newActor, startTestApp, type Actor, type TestApp } from './app.ts';
import { startFaultProxy, type FaultProxy } from './fault-proxy.ts';
import { makePhone, signIn } from './make.ts';
import { askPaying, mintWork } from './pay.ts';

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
  /** Those of them for callers who did not ask for this code. */
  comparisonsForOthers: number;
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
  /** Answers by browsers that have never asked for a code. */
  blindTries: { readonly at: number; readonly address: string }[];
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
  const { sends, blindTries } = model;
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
  for (const list of Map.groupBy(blindTries, ({ address }) => address).values())
    expectWithin('blind tries from an address', at(list), hard('triesWithoutChallengePerAddress'));
}

/** The challenge that an answer of this browser is held against: its own, else the newest. */
function chosen(model: Model, actor: Actor): Code | undefined {
  const live = model.codes.filter((code) => code.until > app.clock.now());
  return live.find((code) => code.actor === actor) ?? live.at(-1);
}

/** How many answers of this browser may still be compared with it. */
function triesLeft(code: Code | undefined, actor: Actor): number {
  if (!code || code.isDead) return 0;
  const left = limits.otpTries - code.comparisons;
  return code.actor === actor
    ? left
    : Math.min(left, limits.otpTriesWithoutChallenge - code.comparisonsForOthers);
}

const hasAsked = (actor: Actor) => actor.cookies?.has('otp') ?? false;

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
async function askAs(model: Model, actor: Actor) {
  const isLazy = model.strangers.indexOf(actor) % 3 > 0;
  if (!isLazy) return askPaying(app, phone, actor);
  return { ...(await app.call(requestOtp, { as: actor, body: { phone } })), wasWorkAsked: false };
}

async function ask(model: Model, who: Who, actor: Actor): Promise<number> {
  const sentBefore = app.deps.outbox.recent()[0];
  const answer = await askAs(model, actor);
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

/** Some answers at once from one browser, each the right one or a wrong one. */
async function answer(model: Model, actor: Actor, areRight: readonly boolean[]): Promise<number[]> {
  const code = chosen(model, actor);
  const isBlind = !hasAsked(actor);
  const wrong = code?.digits === '000000' ? '000001' : '000000';
  const before = await comparisons();
  const answers = await Promise.all(
    areRight.map(async (isRight) => {
      const body = { phone, otp: isRight && code ? code.digits : wrong };
      // Cookies of parallel tabs do not wait for each other.
      const as = { ...actor, cookies: new Map(actor.cookies) };
      const { status, text } = await app.call(verifyOtp, { as, body });
      expect(isBlind ? [200, 401, 429] : [200, 401], text).toContain(status);
      return { isRight, status };
    }),
  );
  const compared = (await comparisons()) - before;
  const judged = answers.filter(({ status }) => status !== 429).length;
  const left = triesLeft(code, actor);
  const isAlone = areRight.length === 1;
  const entered = answers.filter(({ status }) => status === 200).length;
  const now = app.clock.now();

  // A right answer ends the code while others are on their way: then fewer are compared.
  expect(compared).toBeLessThanOrEqual(Math.min(judged, left));
  if (entered === 0) expect(compared).toBe(Math.min(judged, left));
  expect(entered, 'sessions from one code').toBeLessThanOrEqual(left > 0 ? 1 : 0);
  if (isAlone && answers[0]?.isRight && judged === 1)
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
      async (model) => void (await answer(model, actorOf(model, who, which), [isRight])),
      // A stranger has no right answer to give, but to a code of their own challenge they may have read.
      (model) => !(isRight && who === 'stranger' && !chosen(model, actorOf(model, who, which))),
    ),
  );

const answersAtOnce = fc
  .tuple(others, fc.nat(5), fc.array(fc.boolean(), { minLength: 2, maxLength: 9 }))
  .map(([who, which, areRight]) =>
    command(
      `${who} ${which} answers ${areRight.map((isRight) => (isRight ? '+' : '-')).join('')} at once`,
      async (model) => void (await answer(model, actorOf(model, who, which), areRight)),
    ),
  );

const guesses = fc.tuple(fc.nat(5), fc.constantFrom(10, 10, 10, 60)).map(([from, times]) =>
  command(`strangers guess ${times} times, from ${from}`, async (model) => {
    for (let guess = 0; guess < times; guess += 1) {
      const which = guess < 6 ? from + guess : (guess % 2) * 3;
      await answer(model, actorOf(model, 'stranger', which), [false]);
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
      expect(await answer(model, owner, [true]), 'the owner').toEqual([200]);
    },
    (model) =>
      within(
        model.sends.filter(({ isKnown }) => isKnown).map(({ at }) => at),
        hourMs,
      ) < 3,
  ),
);

/** The same for a new device that has got its code: nobody can use up its tries. */
const newDeviceEnters = fc.nat(5).map((from) =>
  command('the owner answers on a new device after strangers guessed', async (model) => {
    if ((await ask(model, 'new device', model.newDevice)) !== 200) return;
    for (let which = 0; which < 3; which += 1)
      await answer(model, actorOf(model, 'stranger', from + which), [false]);
    expect(await answer(model, model.newDevice, [true]), 'the owner').toEqual([200]);
  }),
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
      app.call(requestOtp, { as, body: { phone, pow: mintWork(app.deps, phone, 'harder') } }),
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
    Object.assign(model, { codes: [], sends: [], blindTries: [] });
    // What was sent before is worth nothing now.
    if (old) expect(await answerWith(model, old.digits)).toBe(401);
  }),
);

async function answerWith(model: Model, otp: string): Promise<number> {
  const as = model.newDevice;
  const { status } = await app.call(verifyOtp, { as, body: { phone, otp } });
  if (!hasAsked(as)) model.blindTries.push({ at: app.clock.now(), address: as.address ?? '' });
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
            newDeviceEnters,
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
            blindTries: [],
          };
          await fc.asyncModelRun(() => ({ model, real: {} }), commands);
          // However it went, the owner gets in at last.
          app.clock.advance(hourMs);
          expect(await ask(model, 'known device', owner)).toBe(200);
          expect(await answer(model, owner, [true])).toEqual([200]);
          enteredAgain += 1;
        },
      ),
      { numRuns: runs },
    );
    expect(enteredAgain).toBeGreaterThanOrEqual(runs);
  },
);
