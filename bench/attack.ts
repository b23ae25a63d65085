/**
 * npm run bench:attack -- [--hours 24]: a day at the front door under attack, for each way of attacking, with
 * ordinary people coming and going meanwhile. The real server with production's limits, in this process, on a
 * clock that is moved minute by minute. Fails when an owner on a known device is locked out.
 */
import { parseArgs } from 'node:util';
import { newVisitor, openFrontDoor, type FrontDoor, type Visitor, type Willing } from './lib/front-door.ts';
import { markdownTable } from './lib/markdown-table.ts';

const { values } = parseArgs({ options: { hours: { type: 'string', default: '24' } } });
const hours = Number(values.hours);
const minutes = hours * 60;

/** Measured (docs/adr/0004): a slow phone's browser for people, one core with a loop in C for whoever attacks. */
const hashesPerSecond = { browser: 100_000 / 1.55, attacker: 100_000 / 0.114 };

/** Somebody who attacks for one minute, given how far the day is. */
type Attack = (door: FrontDoor, minute: number) => Promise<void>;

const bots = Array.from({ length: 1000 }, (_, n) => newVisitor(`100.64.${n >> 8}.${n & 255}`));
let turn = 0;
/** The next of a thousand addresses, each time as a browser that was never here. */
function nextBot(): Visitor {
  turn += 1;
  const bot = bots[turn % bots.length] as Visitor;
  bot.cookies.clear();
  return bot;
}

let fresh = 0;
/** Numbers that nobody has been asked for yet, no two of one prefix for a long while. */
function freshNumber(): string {
  fresh += 1;
  return `+9198${String((fresh * 10_037) % 100_000_000).padStart(8, '0')}`;
}

/** Asks for codes as long as the service sends them, and does with each what `use` does. */
function asLongAsItSends(
  willing: Willing,
  phoneOf: () => string,
  use: (door: FrontDoor, phone: string, bot: Visitor) => Promise<void>,
): Attack {
  let restUntil = 0;
  return async (door, minute) => {
    if (minute < restUntil) return;
    for (let sends = 0; sends < 30; sends += 1) {
      const [bot, phone] = [nextBot(), phoneOf()];
      const status = await door.ask(bot, phone, willing);
      if (status === 200) await use(door, phone, bot);
      // Not today any more, or not for nothing: it comes back every quarter of an hour to see.
      else if (sends === 0) restUntil = minute + 15;
      if (status === 503 || status === 428) return;
    }
  };
}

function spray(willing: Willing): Attack {
  return asLongAsItSends(willing, freshNumber, async (door, phone, bot) => {
    // All at once and from the browser that asked: others would get two of the five.
    await Promise.all(
      Array.from({ length: 5 }, (_, guess) => door.answer(bot, phone, String(guess).padStart(6, '0'))),
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
  return asLongAsItSends(willing, rented, async () => undefined);
}

function floodOn(phone: string): Attack {
  return async (door) => {
    await Promise.all([
      ...Array.from({ length: 3 }, () => door.ask(nextBot(), phone, 'asked')),
      ...Array.from({ length: 5 }, () => door.answer(nextBot(), phone, '000000')),
    ]);
  };
}

/** Half of them behind three addresses of a carrier. */
function honestVisitor(n: number): Visitor {
  return newVisitor(n % 2 === 0 ? `203.0.113.${n % 3}` : `198.51.${(n >> 8) & 255}.${n & 255}`);
}

interface Tally {
  entered: number;
  turnedAway: number;
  askedForWork: number;
  hashes: number;
}

const emptyTally = (): Tally => ({ entered: 0, turnedAway: 0, askedForWork: 0, hashes: 0 });

async function enter(door: FrontDoor, visitor: Visitor, phone: string, tally: Tally): Promise<void> {
  const before = { ...visitor };
  const sent = await door.ask(visitor, phone, 'asked');
  const status = sent === 200 ? await door.answer(visitor, phone, await door.codeFor(phone)) : sent;
  if (status === 200) tally.entered += 1;
  else tally.turnedAway += 1;
  if (visitor.timesAsked > before.timesAsked) tally.askedForWork += 1;
  tally.hashes += visitor.hashes - before.hashes;
}

async function liveThrough(name: string, attackOf: (victim: string) => Attack): Promise<string[]> {
  const door = await openFrontDoor();
  try {
    const owners = Array.from({ length: 24 }, (_, n) => ({
      visitor: honestVisitor(n),
      phone: freshNumber(),
    }));
    for (const { visitor, phone } of owners) {
      await enter(door, visitor, phone, emptyTally());
      door.clock.advance(15 * 60_000);
    }
    door.clock.advance(24 * 3_600_000);
    const [messagesBefore, comparedBefore] = [await door.messages(), await door.comparisons()];
    for (const bot of bots) Object.assign(bot, { hashes: 0, timesAsked: 0 });
    const attack = attackOf(owners[0]!.phone);
    const [known, newcomers] = [emptyTally(), emptyTally()];
    let alarmAfter: number | null = null;
    for (let minute = 0; minute < minutes; minute += 1) {
      await attack(door, minute);
      // The one who is flooded comes every hour, the other owners in turn, newcomers every ten minutes.
      if (minute % 60 === 30) await enter(door, owners[0]!.visitor, owners[0]!.phone, known);
      if (minute % 20 === 10) {
        const { visitor, phone } = owners[1 + (((minute / 20) | 0) % (owners.length - 1))]!;
        await enter(door, visitor, phone, known);
      }
      if (minute % 10 === 5) await enter(door, honestVisitor(1000 + minute), freshNumber(), newcomers);
      if (alarmAfter === null && (await door.isAlarmed())) alarmAfter = minute + 1;
      door.clock.advance(60_000);
    }
    const comparisons = (await door.comparisons()) - comparedBefore - known.entered - newcomers.entered;
    const messages = (await door.messages()) - messagesBefore - known.entered - newcomers.entered;
    const botHours = bots.reduce((sum, { hashes }) => sum + hashes, 0) / hashesPerSecond.attacker / 3600;
    const honest = known.entered + known.turnedAway + newcomers.entered + newcomers.turnedAway;
    const asked = known.askedForWork + newcomers.askedForWork;
    const seconds = (known.hashes + newcomers.hashes) / hashesPerSecond.browser / (asked || 1);
    const daily = 24 / hours;
    if (known.turnedAway > 0) process.exitCode = 1;
    return [
      name,
      String(Math.round(messages * daily)),
      String(Math.round(comparisons * daily)),
      ((comparisons * daily * 365) / 1e6).toFixed(2),
      botHours.toFixed(2),
      alarmAfter === null ? 'never' : `${alarmAfter} min`,
      `${known.turnedAway} of ${known.entered + known.turnedAway}`,
      `${newcomers.turnedAway} of ${newcomers.entered + newcomers.turnedAway}`,
      `${((asked / honest) * 100).toFixed(0)} %`,
      asked > 0 ? `${seconds.toFixed(1)} s` : 'none',
    ];
  } finally {
    await door.close();
  }
}

const began = performance.now();
const rows = [
  [
    'a day of',
    'SMS taken',
    'guesses compared',
    'takeovers a year',
    'core-hours of work',
    'first alarm after',
    'owners locked out',
    'newcomers turned away',
    'honest asked for work',
    'which takes them',
  ],
  await liveThrough('nothing', () => async () => undefined),
  await liveThrough('guesses sprayed for nothing', () => spray('no')),
  await liveThrough('guesses sprayed, working for it', () => spray('asked')),
  await liveThrough('40 prefixes pumped for nothing', () => pump('no')),
  await liveThrough('40 prefixes pumped, working for it', () => pump('asked')),
  await liveThrough('one number flooded, working for it', floodOn),
];
const [head = [], ...days] = rows;
console.log(markdownTable(head, days));
console.log(`\n${hours} simulated hours each, ${Math.round((performance.now() - began) / 1000)} s in all.`);
