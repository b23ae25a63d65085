/**
 * npm run bench:otp-abuse -- [--hours 24] [--crowd 200] [--only-shared]
 *
 * Simulates a day of each attack on sign-in codes, with ordinary people signing in meanwhile. Runs the real server with
 * production limits in this process, on a fake clock that advances minute by minute. Fails if an owner on a known device
 * is locked out.
 *
 * And ten minutes of 10,000 public calls from one address, with 200 people behind it who have signed in before and then
 * 200 newcomers at once. Fails if one of the former has to try twice or to do a proof of work.
 */
import { readOptions } from '../testkit/options.ts';
import {
  newVisitor,
  startOtpAbuseServer,
  type OtpAbuseServer,
  type Visitor,
  type Willing,
} from './lib/otp-abuse-server.ts';
import { markdownTable } from './lib/markdown-table.ts';

const {
  hours,
  crowd,
  'only-shared': isOnlyShared,
} = readOptions({ hours: 24, crowd: 200, 'only-shared': false });
const minutes = hours * 60;

/** Measured (docs/adr/0004): the browser of a slow phone, and one core running C for the attacker. */
const hashesPerSecond = { browser: 100_000 / 1.55, attacker: 100_000 / 0.114 };

/** One minute of an attack. */
type Attack = (server: OtpAbuseServer, minute: number) => Promise<void>;

const bots = Array.from({ length: 1000 }, (_, n) => newVisitor(`100.64.${n >> 8}.${n & 255}`));
let turn = 0;
/** The next of a thousand addresses, without cookies. */
function nextBot(): Visitor {
  turn += 1;
  const bot = bots[turn % bots.length] as Visitor;
  bot.cookies.clear();
  return bot;
}

let fresh = 0;
/** Unused phone numbers; neighbours have different prefixes. */
function freshNumber(): string {
  fresh += 1;
  return `+9198${String((fresh * 10_037) % 100_000_000).padStart(8, '0')}`;
}

/** Requests codes until the service refuses, and passes each to `use`. */
function requestCodes(
  willing: Willing,
  phoneOf: () => string,
  use: (server: OtpAbuseServer, phone: string, bot: Visitor) => Promise<void>,
): Attack {
  let restUntil = 0;
  return async (server, minute) => {
    if (minute < restUntil) return;
    for (let sends = 0; sends < 30; sends += 1) {
      const [bot, phone] = [nextBot(), phoneOf()];
      const status = await server.ask(bot, phone, willing);
      if (status === 200) await use(server, phone, bot);
      // Refused, or proof of work required: try again in a quarter of an hour.
      else if (sends === 0) restUntil = minute + 15;
      if (status === 503 || status === 428) return;
    }
  };
}

function spray(willing: Willing): Attack {
  return requestCodes(willing, freshNumber, async (server, phone, bot) => {
    // In parallel, from the requesting browser: other browsers get only two of the five tries.
    await Promise.all(
      Array.from({ length: 5 }, (_, guess) => server.answer(bot, phone, String(guess).padStart(6, '0'))),
    );
  });
}

function pump(willing: Willing): Attack {
  const prefixes = Array.from({ length: 40 }, freshNumber);
  let next = 0;
  const rented = () => {
    next += 1;
    const line = String(Math.floor(next / prefixes.length) % 10_000).padStart(4, '0');
    return `${prefixes[next % prefixes.length]!.slice(0, -4)}${line}`;
  };
  return requestCodes(willing, rented, async () => undefined);
}

function floodOn(phone: string): Attack {
  return async (server) => {
    await Promise.all([
      ...Array.from({ length: 3 }, () => server.ask(nextBot(), phone, 'asked')),
      ...Array.from({ length: 5 }, () => server.answer(nextBot(), phone, '000000')),
    ]);
  };
}

/** Half of them share three addresses of a carrier. */
function ordinaryVisitor(n: number): Visitor {
  return newVisitor(n % 2 === 0 ? `203.0.113.${n % 3}` : `198.51.${(n >> 8) & 255}.${n & 255}`);
}

interface Tally {
  entered: number;
  refused: number;
  askedForProof: number;
  hashes: number;
}

const emptyTally = (): Tally => ({ entered: 0, refused: 0, askedForProof: 0, hashes: 0 });

async function attemptSignIn(
  server: OtpAbuseServer,
  visitor: Visitor,
  phone: string,
  tally: Tally,
): Promise<void> {
  const before = { ...visitor };
  const sent = await server.ask(visitor, phone, 'asked');
  const status = sent === 200 ? await server.answer(visitor, phone, await server.codeFor(phone)) : sent;
  if (status === 200) tally.entered += 1;
  else tally.refused += 1;
  if (visitor.timesAsked > before.timesAsked) tally.askedForProof += 1;
  tally.hashes += visitor.hashes - before.hashes;
}

async function simulateAttack(name: string, attackOf: (victim: string) => Attack): Promise<string[]> {
  const server = await startOtpAbuseServer();
  try {
    const owners = Array.from({ length: 24 }, (_, n) => ({
      visitor: ordinaryVisitor(n),
      phone: freshNumber(),
    }));
    for (const { visitor, phone } of owners) {
      await attemptSignIn(server, visitor, phone, emptyTally());
      server.clock.advance(15 * 60_000);
    }
    server.clock.advance(24 * 3_600_000);
    const [messagesBefore, comparedBefore] = [await server.messages(), await server.comparisons()];
    for (const bot of bots) Object.assign(bot, { hashes: 0, timesAsked: 0 });
    const attack = attackOf(owners[0]!.phone);
    const [known, newcomers] = [emptyTally(), emptyTally()];
    let alarmAfter: number | null = null;
    for (let minute = 0; minute < minutes; minute += 1) {
      await attack(server, minute);
      // The victim signs in every hour, another owner every 20 minutes, a newcomer every ten.
      if (minute % 60 === 30) await attemptSignIn(server, owners[0]!.visitor, owners[0]!.phone, known);
      if (minute % 20 === 10) {
        const { visitor, phone } = owners[1 + (((minute / 20) | 0) % (owners.length - 1))]!;
        await attemptSignIn(server, visitor, phone, known);
      }
      if (minute % 10 === 5)
        await attemptSignIn(server, ordinaryVisitor(1000 + minute), freshNumber(), newcomers);
      if (alarmAfter === null && (await server.isAlarmed())) alarmAfter = minute + 1;
      server.clock.advance(60_000);
    }
    const comparisons = (await server.comparisons()) - comparedBefore - known.entered - newcomers.entered;
    const messages = (await server.messages()) - messagesBefore - known.entered - newcomers.entered;
    const botHours = bots.reduce((sum, { hashes }) => sum + hashes, 0) / hashesPerSecond.attacker / 3600;
    const attempts = known.entered + known.refused + newcomers.entered + newcomers.refused;
    const asked = known.askedForProof + newcomers.askedForProof;
    const seconds = (known.hashes + newcomers.hashes) / hashesPerSecond.browser / (asked || 1);
    const daily = 24 / hours;
    if (known.refused > 0) process.exitCode = 1;
    return [
      name,
      String(Math.round(messages * daily)),
      String(Math.round(comparisons * daily)),
      ((comparisons * daily * 365) / 1e6).toFixed(2),
      botHours.toFixed(2),
      alarmAfter === null ? 'never' : `${alarmAfter} min`,
      `${known.refused} of ${known.entered + known.refused}`,
      `${newcomers.refused} of ${newcomers.entered + newcomers.refused}`,
      `${((asked / attempts) * 100).toFixed(0)} %`,
      asked > 0 ? `${seconds.toFixed(1)} s` : 'none',
    ];
  } finally {
    await server.close();
  }
}

const callsAMinute = 10_000;

/** A carrier's address: public calls flood it while everybody behind it signs in. */
async function simulateSharedAddress(): Promise<string> {
  const server = await startOtpAbuseServer();
  const address = '203.0.113.60';
  const flood = newVisitor(address);
  try {
    const owners = Array.from({ length: crowd }, () => ({
      visitor: newVisitor(address),
      phone: freshNumber(),
    }));
    for (const { visitor, phone } of owners) {
      await attemptSignIn(server, visitor, phone, emptyTally());
      server.clock.advance(15 * 60_000);
    }
    server.clock.advance(24 * 3_600_000);
    /** Half a minute of the flood. */
    const floodOnce = async () => {
      let refused = 0;
      for (let calls = 0; calls < callsAMinute / 2; calls += 1)
        if ((await server.look(flood)) === 429) refused += 1;
      server.clock.advance(30_000);
      return refused / (callsAMinute / 2);
    };
    const known = emptyTally();
    let refused = 0;
    // As many as the ceiling of codes a minute allows; the rest of each minute is the flood's.
    for (let at = 0; at < owners.length; at += 10) {
      refused = await floodOnce();
      for (const { visitor, phone } of owners.slice(at, at + 10))
        await attemptSignIn(server, visitor, phone, known);
    }
    if (known.refused > 0 || known.askedForProof > 0) process.exitCode = 1;
    const newcomers = Array.from({ length: crowd }, () => ({
      visitor: newVisitor(address),
      phone: freshNumber(),
    }));
    const tally = emptyTally();
    let waiting = newcomers;
    for (let half = 0; half < 4; half += 1) {
      const before = waiting;
      waiting = [];
      for (const one of before) {
        const { entered } = tally;
        await attemptSignIn(server, one.visitor, one.phone, tally);
        if (tally.entered === entered) waiting.push(one);
      }
      await floodOnce();
    }
    const share = (part: number) => `${((part / crowd) * 100).toFixed(0)} %`;
    return [
      `${callsAMinute} public calls a minute from one address, ${(refused * 100).toFixed(0)} % of them refused:`,
      `known devices signed in at the first try ${known.entered} of ${crowd}, asked for work ${known.askedForProof};`,
      `newcomers signed in within two minutes ${share(tally.entered)}, the rest waits for the ceilings of codes.`,
    ].join('\n');
  } finally {
    await server.close();
  }
}

const began = performance.now();
const shared = await simulateSharedAddress();
if (isOnlyShared) {
  console.log(shared);
  process.exit();
}
const rows = [
  [
    'a day of',
    'SMS sent',
    'guesses compared',
    'takeovers a year',
    'core-hours of proof of work',
    'first alarm after',
    'owners locked out',
    'newcomers refused',
    'ordinary asked for proof of work',
    'time per proof',
  ],
  await simulateAttack('nothing', () => async () => undefined),
  await simulateAttack('guesses sprayed, without proof of work', () => spray('no')),
  await simulateAttack('guesses sprayed, with proof of work', () => spray('asked')),
  await simulateAttack('40 prefixes pumped, without proof of work', () => pump('no')),
  await simulateAttack('40 prefixes pumped, with proof of work', () => pump('asked')),
  await simulateAttack('one number flooded, with proof of work', floodOn),
];
const [head = [], ...days] = rows;
console.log(markdownTable(head, days));
console.log(`\n${shared}`);
console.log(`\n${hours} simulated hours each, ${Math.round((performance.now() - began) / 1000)} s in total.`);
