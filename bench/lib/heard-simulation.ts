import { normal, poisson } from './distributions.ts';
import { readingLanguages, type ReadingLanguage } from '@unsaid/contract';
import { createSeededRandom } from '../../server/seed/seeded-random.ts';
import { drawWaiting, type Waiting } from '../../server/src/content/listening/draw.ts';
import { createHeap } from './heap.ts';

/**
 * A community that vents and answers, minute by minute. People and their visits are drawn once for a seed, and every way
 * of offering vents lives through the same days. What is offered is drawn as the server does (draw.ts). All behaviour is
 * assumed: how often people come, look, listen and answer. Times are minutes since midnight in India.
 */
export interface Assumptions {
  readonly people: number;
  readonly days: number;
  readonly seed: number;
  readonly ventsPerPersonDay: number;
  readonly kinds: readonly Kind[];
  /** Of the fresh vents that a contributor sees in a list. */
  readonly answerRate: number;
  /** Of the vents that are offered to somebody who chose to listen. */
  readonly listenRate: number;
  readonly junkShare: number;
  /** Vents beside a page of Recent, under its second card. */
  readonly places: number;
  /** Beside every page, or the first alone. */
  readonly isOnEveryPage: boolean;
  readonly hasListen: boolean;
  /** Of those who posted, how many sit with somebody else. 0 without the ask. */
  readonly askRate: number;
  readonly knowsLanguage: boolean;
}

interface Kind {
  readonly share: number;
  /** How readily they answer. */
  readonly readiness: number;
  readonly perDay: number;
  readonly perVisit: number;
  /** The share of their visits that go to Listen. */
  readonly listens: number;
}

export const kindsOf = (contributors: number, helpers: number, uptake = 1): Kind[] => [
  { share: 1 - contributors - helpers, readiness: 0.15, perDay: 1, perVisit: 1, listens: 0.03 * uptake },
  { share: contributors, readiness: 1, perDay: 3, perVisit: 2, listens: 0.12 * uptake },
  { share: helpers, readiness: 5, perDay: 10, perVisit: 4, listens: 0.3 * uptake },
];

export const assumed: Assumptions = {
  people: 500,
  days: 14,
  seed: 1,
  ventsPerPersonDay: 0.25,
  kinds: kindsOf(0.2, 0.05),
  answerRate: 0.06,
  listenRate: 0.3,
  junkShare: 0.03,
  places: 2,
  isOnEveryPage: true,
  hasListen: true,
  askRate: 0.25,
  knowsLanguage: true,
};

/** Recent alone, newest first. */
export const newestFirst = { places: 0, hasListen: false, askRate: 0 } as const;

const day = 1440;
/** The chance that a person comes on a given day, and their visits beyond the first. */
const visitShare = 0.4;
const extraVisits = 0.8;
/** Vents looked at in a visit, the mean of a geometric distribution. */
const attention = 8;
const wantsReplies = 0.85;
const englishShare = 0.55;
const readsBoth = 0.65;
const readsEnglish = 0.22;
/** How differently answerable vents are (log-normal, mean 1), and how much less each answer makes another. */
const spread = 0.7;
const crowd = 0.25;
const readMinutes = 0.3;
const writeMinutes = 1.5;
const pageSize = 5;
/** Vents that somebody remembers to have seen: they do not answer on a second sight. */
const memory = 64;
const offersWhenListening = 4;
const offersWhenAsked = 3;
/** What Listen asks for and uses one after the other. */
const drawnForListen = 3;
/** More than the places: some may be on the page already. */
const drawnForRegion = 5;
/** Of those with one answer the server lists so many. */
const listedWithOne = 500;

const visitHours = [
  3.2, 2.0, 1.2, 0.7, 0.5, 0.7, 1.5, 2.8, 3.8, 4.2, 4.3, 4.3, 4.6, 5.0, 4.8, 4.6, 4.6, 5.0, 5.4, 5.8, 6.6,
  7.6, 7.6, 5.2,
];
/** How much likelier a visit brings a vent at that hour. */
const ventBoost = [
  2, 2, 2.2, 2.2, 2.2, 1.2, 1.2, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 1, 1.3, 1.3,
  1.6,
];
const isNight = (at: number) => (at % day) / 60 >= 23 || (at % day) / 60 < 7;

interface Person {
  readonly kind: Kind;
  readonly reads: readonly ReadingLanguage[];
  readonly seen: Set<Vent>;
  answeredOn: number;
  answeredToday: number;
}

interface Vent {
  readonly id: bigint;
  readonly author: Person;
  readonly at: number;
  readonly language: ReadingLanguage;
  readonly answerable: number;
  readonly wants: boolean;
  readonly isJunk: boolean;
  readonly answers: { readonly by: Person; readonly at: number }[];
}

interface Visit {
  readonly at: number;
  readonly person: Person;
  readonly vent: Vent | null;
}

function drawVisits(given: Assumptions): Visit[] {
  const random = createSeededRandom(given.seed * 7919 + 13).next;
  const people = Array.from({ length: Math.round(given.people / visitShare) }, (): Person => {
    let left = random();
    const kind = given.kinds.find(({ share }) => (left -= share) < 0) ?? given.kinds.at(-1);
    if (!kind) throw new Error('no kinds of people');
    const language = random();
    const reads =
      language < readsBoth ? (['en', 'hi'] as const) : language < readsBoth + readsEnglish ? ['en'] : ['hi'];
    return { kind, reads: reads as ReadingLanguage[], seen: new Set(), answeredOn: -1, answeredToday: 0 };
  });
  const hourSum = visitHours.reduce((sum, weight) => sum + weight, 0);
  const meanBoost =
    visitHours.reduce((sum, weight, hour) => sum + weight * (ventBoost[hour] ?? 1), 0) / hourSum;
  const ventsPerVisit = given.ventsPerPersonDay / (1 + extraVisits) / meanBoost;
  const visits: Visit[] = [];
  let lastId = 0n;
  const drawVent = (author: Person, at: number): Vent => {
    const [first = 'en', second] = author.reads;
    const isJunk = random() < given.junkShare;
    return {
      id: (lastId += 1n),
      author,
      at: at + 1 + 4 * random(),
      language: second && random() >= englishShare ? second : first,
      answerable: isJunk ? 0.03 : Math.exp(spread * normal(random) - spread ** 2 / 2),
      wants: random() < wantsReplies,
      isJunk,
      answers: [],
    };
  };
  for (let today = 0; today < given.days; today += 1)
    for (const person of people) {
      if (random() >= visitShare) continue;
      for (let left = 1 + poisson(random, extraVisits); left > 0; left -= 1) {
        let weight = random() * hourSum;
        const hour = visitHours.findIndex((one) => (weight -= one) < 0);
        const at = today * day + hour * 60 + random() * 60;
        const hasVent = random() < ventsPerVisit * (ventBoost[hour] ?? 1);
        visits.push({ at, person, vent: hasVent ? drawVent(person, at) : null });
      }
    }
  return visits.toSorted((a, b) => a.at - b.at);
}

/** A visit as it goes on. */
interface Session {
  readonly person: Person;
  mode: 'list' | 'listen' | 'ask';
  /** How many vents they still look at, and how many they still answer and are offered. */
  left: number;
  answers: number;
  offers: number;
  pages: number;
  page: Vent[];
  /** Drawn for Listen and not shown yet. */
  drawn: Vent[];
  /** The browser drops them from what is drawn. It remembers them for this visit only. */
  readonly shown: Set<Vent>;
}

export interface Outcome {
  /** Minutes until the first answer of each vent that wanted one; Infinity where none came. */
  readonly waits: { readonly minutes: number; readonly isNight: boolean; readonly hasTwo: boolean }[];
  readonly answers: number;
  /** Answers of each person on each day with any. */
  readonly loads: number[];
}

export function simulateHearing(given: Assumptions): Outcome {
  const visits = drawVisits(given);
  const random = createSeededRandom(given.seed * 104_729 + 7).next;
  const newest: Vent[] = [];
  const byId = new Map<bigint, Vent>();
  /** Open vents with less than two answers. */
  const waiting = new Map<Vent, Waiting>();
  const answeredOnce = new Set<Vent>();
  const events = createHeap<() => void>();
  const loads = new Map<Person, Map<number, number>>();
  let [now, answers] = [0, 0];
  const after = (minutes: number, run: () => void) => events.push(now + minutes, run);
  const setWaiting = (vent: Vent) =>
    waiting.set(vent, {
      ventId: vent.id,
      answers: vent.answers.length === 0 ? 0 : 1,
      // Cut to the minute, as stored.
      createdAt: Math.floor(vent.at) * 60_000,
      language: vent.language,
    });

  /** As listening.ts does, and the browser after it, which drops what `isShown` says. */
  function draw(person: Person, count: number, isShown: (vent: Vent) => boolean): Vent[] {
    const reads = given.knowsLanguage ? person.reads : readingLanguages;
    const drawn = drawWaiting(waiting.values(), { reads, count, now: now * 60_000, random });
    const fitting = ([0, 1] as const).map((queue) =>
      drawn[queue]
        .map((id) => byId.get(id) as Vent)
        .filter((vent) => vent.author !== person && !vent.answers.some(({ by }) => by === person)),
    );
    const [unheard = [], answered = []] = fitting;
    return (unheard.length > 0 ? unheard : answered).slice(0, count).filter((vent) => !isShown(vent));
  }

  function post(vent: Vent): void {
    newest.push(vent);
    byId.set(vent.id, vent);
    if (vent.wants) setWaiting(vent);
    begin(vent.author, random() < given.askRate ? 'ask' : 'list');
  }

  function answer(vent: Vent, by: Person): void {
    vent.answers.push({ by, at: now });
    answers += 1;
    const ofPerson = loads.get(by) ?? loads.set(by, new Map()).get(by);
    const today = Math.floor(now / day);
    ofPerson?.set(today, (ofPerson.get(today) ?? 0) + 1);
    if (vent.answers.length === 1) keepNewest(vent);
    else answeredOnce.delete(vent);
    if (vent.answers.length >= 2) waiting.delete(vent);
    else if (waiting.has(vent)) setWaiting(vent);
  }

  /** The server lists the newest of those with one answer. */
  function keepNewest(vent: Vent): void {
    answeredOnce.add(vent);
    if (answeredOnce.size <= listedWithOne) return;
    const oldest = [...answeredOnce].reduce((one, other) => (one.id < other.id ? one : other));
    answeredOnce.delete(oldest);
    waiting.delete(oldest);
  }

  function begin(person: Person, mode: Session['mode']): void {
    let left = 1;
    while (left < 60 && random() < 1 - 1 / attention) left += 1;
    const offers = mode === 'ask' ? offersWhenAsked : offersWhenListening;
    const perVisit =
      mode === 'ask' ? 1 : mode === 'listen' ? Math.min(2, person.kind.perVisit) : person.kind.perVisit;
    step({ person, mode, left, answers: perVisit, offers, pages: 0, page: [], drawn: [], shown: new Set() });
  }

  /** Answers that this person still has in them today. Whoever says yes to the ask has one, whatever they usually give. */
  function leftToday(person: Person, mode: Session['mode']): number {
    const today = Math.floor(now / day);
    if (person.answeredOn !== today) Object.assign(person, { answeredOn: today, answeredToday: 0 });
    const left = person.kind.perDay - person.answeredToday;
    return mode === 'ask' ? Math.max(left, 1 + Math.min(0, left)) : left;
  }

  function see(person: Person, vent: Vent): void {
    person.seen.add(vent);
    if (person.seen.size > memory) person.seen.delete(person.seen.values().next().value as Vent);
  }

  /** Minutes spent. The answer is posted when it is written. */
  function readAndPerhapsAnswer(session: Session, vent: Vent, rate: number): number {
    see(session.person, vent);
    const chance = Math.min(0.9, (rate * vent.answerable) / (1 + crowd * vent.answers.length));
    if (random() >= chance) return readMinutes;
    const writing = writeMinutes * Math.exp(0.6 * normal(random));
    session.person.answeredToday += 1;
    session.answers -= 1;
    after(readMinutes + writing, () => answer(vent, session.person));
    return readMinutes + writing;
  }

  function stepOfListen(session: Session): void {
    const { person } = session;
    if (session.drawn.length === 0)
      session.drawn = draw(person, drawnForListen, (vent) => session.shown.has(vent));
    const vent = session.drawn.shift();
    session.offers -= 1;
    session.left -= 1;
    if (!vent) {
      session.offers = 0;
      return after(0.05, () => step(session));
    }
    session.shown.add(vent);
    const isKnown = person.seen.has(vent) || !person.reads.includes(vent.language);
    after(isKnown ? 0.05 : readAndPerhapsAnswer(session, vent, given.listenRate), () => step(session));
  }

  function step(session: Session): void {
    const { person } = session;
    if (session.mode !== 'list') {
      if (session.offers > 0 && session.answers > 0 && leftToday(person, session.mode) > 0)
        return stepOfListen(session);
      Object.assign(session, { mode: 'list', page: [] });
      session.answers = Math.min(session.answers, leftToday(person, 'list'));
    }
    if (session.left <= 0) return undefined;
    if (session.page.length === 0) {
      const from = newest.length - session.pages * pageSize;
      session.page = newest.slice(Math.max(0, from - pageSize), Math.max(0, from)).toReversed();
      if (session.page.length === 0) return undefined;
      if (given.places > 0 && (given.isOnEveryPage || session.pages === 0)) {
        const { page } = session;
        page.splice(
          2,
          0,
          ...draw(person, drawnForRegion, (vent) => page.includes(vent) || session.shown.has(vent)).slice(
            0,
            given.places,
          ),
        );
      }
      session.pages += 1;
    }
    const vent = session.page.shift() as Vent;
    session.shown.add(vent);
    let minutes = readMinutes;
    if (vent.author === person || person.seen.has(vent))
      [session.left, minutes] = [session.left - 0.25, 0.05];
    else if (!person.reads.includes(vent.language)) [session.left, minutes] = [session.left - 0.3, 0.08];
    else {
      session.left -= 1;
      const mayAnswer = vent.wants && session.answers > 0 && leftToday(person, 'list') > 0;
      minutes = readAndPerhapsAnswer(session, vent, mayAnswer ? given.answerRate * person.kind.readiness : 0);
    }
    return after(minutes, () => step(session));
  }

  let next = 0;
  for (;;) {
    const visit = visits[next];
    const at = Math.min(visit?.at ?? Infinity, events.nextKey());
    if (at === Infinity) break;
    now = at;
    // Older vents are not offered.
    for (const vent of waiting.keys()) {
      if (now - vent.at < 7 * day) break;
      waiting.delete(vent);
    }
    if (visit?.at !== now) (events.pop() as () => void)();
    else {
      next += 1;
      const { person, vent } = visit;
      if (vent) events.push(vent.at, () => post(vent));
      else begin(person, given.hasListen && random() < person.kind.listens ? 'listen' : 'list');
    }
  }

  const measured = newest.filter(
    ({ at, wants, isJunk }) => wants && !isJunk && at >= day && at < (given.days - 2) * day,
  );
  return {
    waits: measured.map(({ at, answers: [first, second] }) => ({
      minutes: first ? first.at - at : Infinity,
      isNight: isNight(at),
      hasTwo: second !== undefined && second.at - at <= day,
    })),
    answers: answers / newest.filter(({ wants }) => wants).length,
    loads: [...loads.values()].flatMap((ofPerson) => [...ofPerson.values()]),
  };
}
