import { foldWord, toSentences, work } from './fold.ts';
import { tokenize, type Token } from './identity-tokens.ts';
import * as words from './people-words.ts';

/**
 * Finds what may lead to a person and is no number or address of theirs: names given as one's own, names of people who
 * are written about, where one studies, works or lives. Cues and shape, so it errs: a note in the browser, never a
 * refusal, and the server does not run it. One pass over the tokens, with a bounded look around each.
 */

export type PeopleRule = 'name' | 'place' | 'handle';

export interface PeopleFinding {
  readonly rule: PeopleRule;
  /** Offsets in UTF-16 units, as in `slice`. */
  readonly start: number;
  readonly end: number;
}

const plain = (list: string) =>
  new Set(list.split(' ').map((word) => word.replace(/\u093C/gu, '').replaceAll('\u0901', '\u0902')));
const folded = (list: string) => new Set(list.split(' ').map(foldWord));

function atFirstUse<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}

const known = atFirstUse(() => ({
  surnames: plain(words.surnames),
  foldedSurnames: new Set([...folded(words.surnames)].filter((surname) => surname.length > 2)),
  famous: new Set(words.famous.split(',').map((pair) => pair.split(' ').map(foldWord).join(' '))),
  relations: plain(words.relations),
  noNames: plain(words.noNames),
  plainWords: plain(words.plainWords),
  institutes: new Set(words.institutes.split(' ')),
  details: folded(words.details),
  streets: folded(words.streets),
  rollWords: plain(words.rollWords),
  idOwners: plain(words.idOwners),
  idWords: plain(words.idWords),
  platforms: plain(words.platforms),
  numbers: new Set(words.spokenNumbers.split('|').flatMap((line) => line.split(' ').slice(1).map(foldWord))),
}));

/** In Devanagari, institutes as their letters are spoken. */
const institutesInHindi =
  /^(?:एनआईटी|आईआईटी|एम्स|बिट्स|टीसीएस|इंफोसिस|विप्रो|डीपीएस|केवी|एसबीआई|डीयू|बीएचयू|जेएनयू|कॉलेज|कालेज|यूनिवर्सिटी|विश्वविद्यालय)$/u;
const isDevanagari = (text: string) => text >= '\u0900' && text <= '\u097F';

interface Word extends Token {
  readonly folded: string;
}

function toWords(text: string): Word[] {
  const folds = new Map<string, string>();
  return tokenize(text).map((token): Word => {
    let folded = folds.get(token.text);
    if (folded === undefined) {
      folded =
        token.kind !== 'word'
          ? token.text
          : isDevanagari(token.text)
            ? (toSentences(token.text)[0]?.words[0] ?? '')
            : foldWord(token.text);
      folds.set(token.text, folded);
    }
    const { kind, text: written, start, end, isGlued, startsLine, cues } = token;
    return { kind, text: written, start, end, isGlued, startsLine, cues, folded };
  });
}

const look = 12;
const my = folded('my mera meri mere');
const name = folded('name naam nam');
const am = new Set(['am', 'm', 'im']);
const says = folded('hoon hu bol bolta bolti');
const called = folded('call calls bulate bulati kehte kahte bulata');
const isName = folded('hai h hu is he');
const telling = folded('bol bolraha likha likh writing kaagaz kagaz broke pyaar pyar writes');
const titles = new Set('mr mrs dr shri smt श्री श्रीमती मिसेज मिस्टर'.split(' '));
const hostels = new Set('hostel block pg हॉस्टल छात्रावास ब्लॉक'.split(' '));
const pins = new Set('pin pincode पिन पिनकोड'.split(' '));
const amounts = new Set('rs salary loan fees fee ctc emi marks debt only around about'.split(' '));
const places = new Set('me mein में se से ki की ka का pe par पर'.split(' '));
const shortSurnames = new Set('सिंह खान जैन अली शेख शाह गिल कौर घोष बोस सेन दास राय राव झा पंत'.split(' '));

export function findPeople(text: string): PeopleFinding[] {
  const {
    surnames,
    foldedSurnames,
    famous,
    relations,
    noNames,
    plainWords,
    institutes,
    details,
    streets,
    rollWords,
    idOwners,
    idWords,
    platforms,
    numbers,
  } = known();
  work.steps += text.length;
  const tokens = toWords(text);
  const found: PeopleFinding[] = [];
  const add = (rule: PeopleRule, first: number, last: number): void => {
    const [from, to] = [tokens[first], tokens[last]];
    if (from && to) found.push({ rule, start: from.start, end: to.end });
  };
  const at = (index: number): Word | undefined => tokens[index];
  const isWord = (index: number) => at(index)?.kind === 'word';
  const isCapital = (index: number) => {
    const token = at(index);
    return token !== undefined && /^\p{Lu}/u.test(text.slice(token.start, token.end));
  };
  const isFamous = (index: number) => famous.has(`${at(index)?.folded} ${at(index + 1)?.folded}`);
  /** A first name and a surname here; the place of the surname, which may come after a middle name. */
  const fullName = (index: number): number | undefined => {
    const first = at(index);
    if (!first || first.kind !== 'word' || plainWords.has(first.text) || relations.has(first.text))
      return undefined;
    if (noNames.has(first.text) || (first.text.length < 2 && !isCapital(index))) return undefined;
    for (let last = index + 1; last <= index + 2; last += 1) {
      const surname = at(last);
      if (surname?.kind !== 'word') return undefined;
      const isCommon =
        plainWords.has(surname.text) || noNames.has(surname.text) || relations.has(surname.text);
      if (isCommon) return undefined;
      const isSurname = isDevanagari(surname.text)
        ? foldedSurnames.has(surname.folded) || shortSurnames.has(surname.text)
        : surname.text.length > 2 && surnames.has(surname.text);
      if (isSurname) return isFamous(last - 1) || isFamous(index) ? undefined : last;
    }
    return undefined;
  };
  /** Two or three words with a capital each, as a name is written; nothing says that they are one. */
  const capitalName = (index: number): number | undefined => {
    const isPart = (part: number) => {
      const token = at(part);
      return (
        token?.kind === 'word' &&
        isCapital(part) &&
        token.text.length > 2 &&
        !plainWords.has(token.text) &&
        !noNames.has(token.text) &&
        !relations.has(token.text) &&
        !institutes.has(token.text) &&
        !streets.has(token.folded) &&
        !details.has(token.folded) &&
        !platforms.has(token.text)
      );
    };
    if (!isPart(index) || !isPart(index + 1) || isFamous(index)) return undefined;
    const last = isPart(index + 2) ? index + 2 : index + 1;
    // "Delhi Metro me": a place.
    return isFamous(index + 1) || places.has(at(last + 1)?.text ?? '') ? undefined : last;
  };
  /** Any two words that are no common ones. */
  const isPair = (index: number) =>
    [index, index + 1].every((part) => {
      const token = at(part);
      return (
        token?.kind === 'word' &&
        token.text.length > 2 &&
        !plainWords.has(token.text) &&
        !noNames.has(token.text) &&
        !relations.has(token.text)
      );
    }) && !isFamous(index);
  const any = (from: number, to: number, test: (token: Word, index: number) => boolean): number => {
    for (let index = Math.max(0, from); index <= Math.min(tokens.length - 1, to); index += 1) {
      work.steps += 1;
      if (test(tokens[index] as Word, index)) return index;
    }
    return -1;
  };
  /** The next word after a place, over signs. */
  const wordAfter = (index: number): number => any(index + 1, index + 3, ({ kind }) => kind !== 'sign');

  for (const [index, token] of tokens.entries()) {
    work.steps += 1;
    // "my name is", "mera pura naam", "name's"
    if (token.kind === 'word' && name.has(token.folded)) {
      const isOwn = any(index - 2, index - 1, ({ folded }) => my.has(folded)) >= 0;
      const isLabel = token.startsLine && any(index + 1, index + 6, ({ kind }) => kind === 'digits') >= 0;
      if (isOwn || isLabel || at(index + 1)?.text === "'" || at(index + 1)?.text === '’') {
        let next = wordAfter(index);
        for (let skipped = 0; skipped < 2 && next > 0; skipped += 1)
          if (['is', 's', 'hai', 'h', 'है'].includes(at(next)?.text ?? '')) next = wordAfter(next);
        const given = at(next);
        const after = at(next + 1);
        const isEnd =
          !after ||
          after.kind === 'sign' ||
          isName.has(after.folded) ||
          after.text === 'and' ||
          after.text === 'aur';
        if (
          given?.kind === 'word' &&
          given.text.length > 2 &&
          !noNames.has(given.text) &&
          !platforms.has(given.text) &&
          (isCapital(next) || isEnd || fullName(next) !== undefined || isLabel)
        )
          add('name', next, fullName(next) ?? next);
      }
    }
    // "people call me", "mujhe log … bulate hain": a name and a surname, or a name in capitals.
    if (token.kind === 'word' && called.has(token.folded)) {
      const next = at(index + 1)?.text === 'me' ? index + 2 : -1;
      if (
        next > 0 &&
        (fullName(next) !== undefined ||
          (isCapital(next) &&
            any(index - 3, index - 1, ({ text }) => text === 'can' || text === 'people') >= 0))
      )
        add('name', next, fullName(next) ?? next);
      const said = any(index - 5, index - 1, (_, near) => fullName(near) !== undefined);
      if (said >= 0) add('name', said, fullName(said) ?? said);
    }
    // "the name of that boy is …", "नाम … है मेरा"; "Mr …", "श्रीमती …": any two words that are not common.
    if (token.kind === 'word' && (name.has(token.folded) || titles.has(token.text))) {
      const next = wordAfter(index);
      const given = at(next)?.text === 'is' ? next + 1 : next;
      const end = at(given + 2);
      const isStated =
        titles.has(token.text) ||
        given > next ||
        ['hai', 'h', 'है', 'था', 'tha', 'थी', 'thi'].includes(end?.text ?? '') ||
        ['hai', 'h', 'है', 'था', 'tha', 'थी', 'thi'].includes(at(given + 3)?.text ?? '');
      if (given > 0 && isStated && isPair(given)) add('name', given, given + 1);
    }
    const last = fullName(index) ?? capitalName(index);
    if (last !== undefined) {
      const before = at(index - 1);
      const beforeThat = at(index - 2);
      const isNamed = any(index - 5, last + 3, ({ folded }) => name.has(folded) || telling.has(folded)) >= 0;
      const isOwn =
        (before !== undefined &&
          (am.has(before.text) ||
            ['main', 'mai', 'hum', 'me', 'myself', 'मैं', 'हम', 'हमार'].includes(before.text))) ||
        (before?.text === 'is' && beforeThat?.text === 'this') ||
        any(last + 1, last + 2, ({ folded }) => says.has(folded)) >= 0 ||
        at(last + 1)?.text === 'here';
      const isSigned = before?.kind === 'sign' && before.startsLine && '-–—~'.includes(before.text);
      const isRelated =
        any(
          index - 4,
          index - 1,
          (near, place) =>
            relations.has(near.text) &&
            any(place + 1, index - 1, ({ kind }) => kind !== 'sign') - place !== 0 &&
            wordsBetween(place, index) <= 2,
        ) >= 0 || any(last + 1, last + 4, (near) => relations.has(near.text)) >= 0;
      if (isOwn || isSigned || isRelated || isNamed) add('name', index, last);
    }
    // A roll, an employee, an enrolment number: with its digits, perhaps after letters.
    if (
      token.kind === 'word' &&
      (rollWords.has(token.text) ||
        (idOwners.has(token.text) &&
          any(index + 1, index + 2, ({ text: written }) => idWords.has(written)) >= 0))
    ) {
      const digits = any(
        index + 1,
        index + 7,
        ({ kind, text: written }) => kind === 'digits' && written.length >= 2,
      );
      if (digits >= 0) add('place', index, digits);
    }
    // A room in a hostel.
    if (token.text === 'room' || token.text === 'kamra' || token.text === 'कमरा') {
      const digits = any(
        index + 1,
        index + 4,
        ({ kind, text: written }) => kind === 'digits' && written.length >= 2 && written.length <= 4,
      );
      const hostel = any(index - 9, index + 9, ({ text: written }) => hostels.has(written));
      if (digits >= 0 && hostel >= 0) add('place', index, digits);
    }
    // "godavari hostel ke 112"
    if (hostels.has(token.text)) {
      const digits = any(
        index + 1,
        index + 2,
        ({ kind, text: written }) => kind === 'digits' && written.length === 3,
      );
      if (digits >= 0) add('place', index, digits);
    }
    // A building with a street, a second part or a PIN code.
    if (token.kind === 'digits' && token.text.length === 6 && /^[1-8]/u.test(token.text)) {
      const isTitle = /^\p{Lu}\p{Ll}/u.test(text.slice(at(index - 1)?.start ?? 0, at(index - 1)?.end ?? 0));
      const isPin =
        (isTitle && isWord(index - 1) && index > 1 && !amounts.has(at(index - 1)?.text ?? '')) ||
        any(index - 3, index - 1, ({ text: written }) => pins.has(written)) >= 0;
      if (isPin || any(index - look, index - 1, ({ folded }) => streets.has(folded)) >= 0)
        add('place', index, index);
    } else if (token.kind === 'digits' && token.text.length <= 4) {
      const isHome =
        any(index - 4, index - 1, ({ text: written }) =>
          ['flat', 'house', 'makaan', 'makan', 'kothi', 'plot', 'मकान', 'फ्लैट', 'b', 'c', 'a', 'd'].includes(
            written,
          ),
        ) >= 0;
      const parts = new Set<string>();
      any(index - 5, index + 7, ({ folded }) => {
        if (streets.has(folded)) parts.add(folded);
        return false;
      });
      if (isHome && parts.size > 1) add('place', index, index);
      else if (isHome && parts.size === 1 && /^[a-d]$/u.test(at(index - 2)?.text ?? ''))
        add('place', index, index);
    }
    // An institute with what narrows it: year, branch, team.
    if (
      token.kind === 'word' &&
      (institutes.has(token.text) ? isInstitute(index) : institutesInHindi.test(token.text))
    ) {
      const detail = any(
        index - 6,
        index + 9,
        ({ folded, kind }, near) =>
          near !== index &&
          ((kind === 'word' && details.has(folded)) || (kind === 'digits' && isYearOrClass(near))),
      );
      if (detail >= 0) add('place', Math.min(index, detail), Math.max(index, detail));
    }
    // A platform, and something shaped like a handle.
    if (token.kind === 'word' && platforms.has(token.text)) {
      const handle = any(
        index - look,
        index + look,
        (_, near) =>
          near !== index &&
          (isHandle(near) || capitalName(near) !== undefined || fullName(near) !== undefined) &&
          wordsBetween(Math.min(index, near), Math.max(index, near)) <= 6,
      );
      if (handle >= 0) add('handle', handle, handle);
    }
  }
  function wordsBetween(from: number, to: number): number {
    let count = 0;
    for (let index = from + 1; index < to; index += 1)
      if (isWord(index) || at(index)?.kind === 'digits') count += 1;
    return count;
  }
  /** "it", "ram" and "hindu" are words too; an institute has capitals or its place after it. */
  function isInstitute(index: number): boolean {
    const token = at(index) as Word;
    if (
      [
        'ey',
        'it',
        'ram',
        'hindu',
        'axis',
        'isb',
        'mit',
        'amazon',
        'paytm',
        'swiggy',
        'zomato',
        'flipkart',
        'miranda',
        'aakash',
        'allen',
        'du',
        'college',
        'institute',
        'university',
        'icici',
        'hdfc',
        'lic',
        'sbi',
      ].includes(token.text)
    )
      return (
        isCapital(index) ||
        isCapital(index - 1) ||
        any(index + 1, index + 4, ({ text: written }) =>
          ['branch', 'team', 'batch', 'campus'].includes(written),
        ) >= 0
      );
    return true;
  }
  function isYearOrClass(index: number): boolean {
    const written = at(index)?.text ?? '';
    return (
      /^20[12]\d$/u.test(written) ||
      (/^\d{1,2}$/u.test(written) &&
        isWord(index + 1) &&
        /^(?:st|nd|rd|th|year|yr|sem|saal|[a-f])$/u.test(at(index + 1)?.text ?? ''))
    );
  }
  /** Letters with an underscore, a dot or two digits, without a space. */
  function isHandle(index: number): boolean {
    const token = at(index);
    if (!token || token.kind !== 'word' || (token.isGlued && at(index - 1)?.kind !== 'sign')) return false;
    let letters = token.text.length;
    let marks = 0;
    let digits = 0;
    let end = index + 1;
    for (; end < tokens.length && end < index + 6; end += 1) {
      const part = tokens[end] as Word;
      if (!part.isGlued) break;
      if (part.kind === 'sign') {
        if (part.text !== '_' && part.text !== '.') break;
        if (!at(end + 1)?.isGlued || at(end + 1)?.kind === 'sign') break;
        marks += 1;
      } else if (part.kind === 'digits') digits += part.text.length;
      else letters += part.text.length;
    }
    if (letters >= 3 && (marks > 0 || digits >= 1) && letters + marks + digits >= 5) return true;
    // "ritz underscore 22", "lonelyboy dot kp"
    const spoken = at(index + 1)?.text ?? '';
    return ['underscore', 'dot', 'डॉट'].includes(spoken) && at(index + 2) !== undefined && letters >= 3;
  }

  // A phone number in words, said in pairs.
  let first = -1;
  let count = 0;
  for (let index = 0; index <= tokens.length; index += 1) {
    const token = tokens[index];
    if (token?.kind === 'word' && numbers.has(token.folded)) {
      if (count === 0) first = index;
      count += 1;
    } else if (token?.kind !== 'sign' || !token) {
      if (count >= 5) add('handle', first, index - 1);
      count = 0;
    }
  }
  return found.toSorted((a, b) => a.start - b.start);
}
