import { allHelplineNumbers } from './helplines.ts';
import { hasCueNear, neighbours, type Found, type Token } from './identity-tokens.ts';
import { digitsOfWord, fillers, homophones, looseDigits, repeatsOfWord } from './identity-words.ts';

/** Phone numbers, Aadhaar and PAN numbers. */

/** Digits that stand together, or one spoken digit. */
interface Group {
  readonly digits: string;
  /** Positions of the first and the last token. */
  readonly first: number;
  readonly last: number;
  /** Signs since the group before, with a space if there was white space: `-`, `, `, ` `. */
  readonly separator: string;
  readonly isSpoken: boolean;
  /** A spoken digit that is another word as well. */
  readonly isLoose: boolean;
  readonly isHomophone: boolean;
}

/** Numbers of helplines that this site does not list, but that must pass when people share them. */
const otherHelplines = new Set(
  '9820466726 02227546669 02225521111 04424640050 08046110007 9582208181 03324637401 04066202000 9922001122 01123389090 7676602602 8422984528 7827170170 7217735372 9654022000'.split(
    ' ',
  ),
);

/** Letters written for digits, where they touch one. */
const lookAlikes: Readonly<Record<string, string>> = {
  o: '0',
  l: '1',
  i: '1',
  s: '5',
  b: '8',
  z: '2',
  q: '9',
};
/** These end a number. The dot in the middle is the mask of `hideIdentity`. */
const hardSigns = '%₹$€£=•@#°&?!+';
const maxGroups = 16;
const minDigits = 6;
const maxDigits = 15;

function asLookAlikes(word: string): string | undefined {
  let digits = '';
  if (word.length > 4) return undefined;
  for (const char of word) {
    const digit = lookAlikes[char];
    if (digit === undefined) return undefined;
    digits += digit;
  }
  return digits;
}

/** "nineeightseven" without spaces. Undefined if a part is no digit. */
function asJoinedDigits(word: string): string | undefined {
  if (word.length < 6 || word.length > 80) return undefined;
  let digits = '';
  for (let at = 0; at < word.length;) {
    let size = 6;
    while (size > 1 && !digitsOfWord.has(word.slice(at, at + size))) size -= 1;
    if (size === 1) return undefined;
    digits += digitsOfWord.get(word.slice(at, at + size)) ?? '';
    at += size;
  }
  return digits;
}

/** The digits that begin at a token, and the last token that they take. */
function readDigits(
  tokens: readonly Token[],
  at: number,
): { digits: string; last: number; isSpoken: boolean } | undefined {
  const token = tokens[at];
  if (!token || token.kind === 'sign') return undefined;
  if (token.kind === 'word') {
    const repeats = repeatsOfWord.get(token.text);
    const next = tokens[at + 1];
    if (repeats !== undefined && next) {
      const one = next.kind === 'digits' ? next.text : digitsOfWord.get(next.text);
      if (one === undefined) return undefined;
      return { digits: (one[0] ?? '').repeat(repeats) + one.slice(1), last: at + 1, isSpoken: true };
    }
    const spoken = digitsOfWord.get(token.text) ?? asJoinedDigits(token.text);
    if (spoken !== undefined) {
      // "ninety eight" and "ninety-eight" are 98, not 908.
      const unitAt = next?.text === '-' ? at + 2 : at + 1;
      const isTens = spoken.length === 2 && spoken.endsWith('0') && spoken > '10';
      const ones = isTens ? digitsOfWord.get(tokens[unitAt]?.text ?? '') : undefined;
      return ones?.length === 1 && ones !== '0'
        ? { digits: `${spoken[0]}${ones}`, last: unitAt, isSpoken: true }
        : { digits: spoken, last: at, isSpoken: true };
    }
  }
  let digits = '';
  let last = at;
  for (let n = at; n < at + maxGroups; n += 1) {
    const part = tokens[n];
    if (!part || (n > at && !part.isGlued)) break;
    const value =
      part.kind === 'digits' ? part.text : part.kind === 'word' ? asLookAlikes(part.text) : undefined;
    if (value === undefined) break;
    // A letter stands for a digit only where it touches one.
    const isBetween = part.kind === 'digits' || (tokens[n + 1]?.kind === 'digits' && tokens[n + 1]?.isGlued);
    if (!isBetween && digits.length < 5) break;
    digits += value;
    last = n;
  }
  return digits === '' ? undefined : { digits, last, isSpoken: false };
}

/** The group after `from`, with what separates it. Undefined where the number ends. */
function nextGroup(tokens: readonly Token[], from: number): Group | undefined {
  let separator = '';
  let fillerCount = 0;
  for (let at = from + 1; at <= from + 6; at += 1) {
    const token = tokens[at];
    if (!token) return undefined;
    if (token.startsLine) separator += '\n';
    else if (!token.isGlued) separator += ' ';
    if (token.kind === 'sign') {
      if (hardSigns.includes(token.text)) return undefined;
      separator += token.text;
      continue;
    }
    const read = readDigits(tokens, at);
    if (read)
      return { ...read, first: at, separator, isLoose: looseDigits.has(token.text), isHomophone: false };
    // A lone o among digits is a zero.
    const heard = token.text === 'o' ? '0' : homophones.get(token.text);
    if (heard !== undefined)
      return {
        digits: heard,
        first: at,
        last: at,
        separator,
        isSpoken: true,
        isLoose: true,
        isHomophone: true,
      };
    fillerCount += 1;
    if (fillerCount > 3 || !fillers.has(token.text)) return undefined;
    separator += '~';
  }
  return undefined;
}

/** Digits before the last are multiplied and permuted, so that any single mistake shows (Verhoeff). */
function isVerhoeff(digits: string): boolean {
  const multiply = (a: number, b: number) =>
    a < 5 ? (b < 5 ? (a + b) % 5 : 5 + ((a + b) % 5)) : b < 5 ? 5 + ((a - b) % 5) : (5 + a - b) % 5;
  const step = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
  let check = 0;
  for (let place = 0; place < digits.length; place += 1) {
    let digit = Number(digits[digits.length - 1 - place]);
    for (let turn = place % 8; turn > 0; turn -= 1) digit = step[digit] ?? 0;
    check = multiply(check, digit);
  }
  return check === 0;
}

/** The ten digits of an Indian mobile number behind any prefix. */
function mobileOf(digits: string): string | undefined {
  for (const prefix of ['', '0', '91', '091', '0091'])
    if (digits.length === prefix.length + 10 && digits.startsWith(prefix)) {
      const rest = digits.slice(prefix.length);
      if (rest >= '6') return rest;
    }
  return undefined;
}

function isHelpline(digits: string): boolean {
  const lines = [digits, `1${digits}`, `0${digits}`, digits.slice(1), digits.slice(2), `0${digits.slice(2)}`];
  return lines.some((line) => allHelplineNumbers.has(line) || otherHelplines.has(line)) || isTollFree(digits);
}

/** 1800 and 1860 belong to companies and helplines. */
function isTollFree(digits: string): boolean {
  return (
    digits.length >= 10 && digits.length <= 13 && (digits.startsWith('1800') || digits.startsWith('1860'))
  );
}

type Meaning = 'phone' | 'number' | 'other' | 'none';

/** What the words around say: the nearest one before decides, else the ones after. */
function meaningOf(tokens: readonly Token[], first: number, last: number): Meaning {
  const sign = tokens[first - 1]?.text;
  // A short number after # is that of an order or a seat. One as long as a phone number is judged by the words around.
  if (sign === '₹' || (sign === '#' && (tokens[last]?.end ?? 0) - (tokens[first]?.start ?? 0) < 10))
    return 'other';
  let meaning: Meaning = 'none';
  let passed = 0;
  for (const { cues } of neighbours(tokens, first, -1, 6)) {
    passed += 1;
    // "roll number", "order ka number": the word before it says which number.
    if ((cues.has('other') && passed <= 4) || (passed === 1 && cues.has('amount'))) return 'other';
    if (cues.has('phone')) return 'phone';
    if (cues.has('number')) meaning = 'number';
    if (meaning === 'number' && passed > 3) break;
  }
  if (meaning !== 'none') return meaning;
  passed = 0;
  for (const { cues, isGlued } of neighbours(tokens, last, 1, 4)) {
    passed += 1;
    if (passed === 1 && (cues.has('amount') || (cues.has('scores') && !isGlued))) return 'other';
    if (cues.has('phone')) return 'phone';
    if (cues.has('number')) return 'number';
  }
  return 'none';
}

function isEvery(groups: readonly Group[], test: (group: Group) => boolean): boolean {
  return groups.every((group) => test(group));
}

const isYear = (digits: string) => /^(?:19|20)\d\d$/u.test(digits);

/** Groups that are numbers of their own: amounts, marks, years, decimals, times, a list in order. */
function isList(tokens: readonly Token[], groups: readonly Group[]): boolean {
  const values = groups.map(({ digits }) => Number(digits));
  const sizes = new Set(groups.map(({ digits }) => digits.length));
  const inner = groups.slice(1);
  const count = groups.length;
  const has = (sign: string) => inner.filter(({ separator }) => separator.includes(sign)).length;
  const isRising = values.every((value, n) => n === 0 || value > (values[n - 1] ?? 0));
  const isFalling = values.every((value, n) => n === 0 || value < (values[n - 1] ?? 0));
  // 85 80 75, but not 99 88 77
  const step = (values[1] ?? 0) - (values[0] ?? 0);
  const isEven =
    Math.abs(step) < 11 && values.every((value, n) => n === 0 || value - (values[n - 1] ?? 0) === step);
  const isRound = (unit: number) => values.every((value) => value % unit === 0);
  if (isRound(count > 2 ? 10 : isRising ? 100 : 1000) && !sizes.has(1)) return true;
  if (count > 3 && !(sizes.size === 1 && sizes.has(1)) && (isEven || isRising)) return true;
  if (has(':') > 0 && count > 2) return true;
  // 1,20,000: commas without spaces, three digits at the end.
  if (inner.at(-1)?.separator === ',' && groups.at(-1)?.digits.length === 3) return true;
  if (has(',') > 1 && !sizes.has(1)) return true;
  if (has('/') > 1 && !(sizes.size === 1 && sizes.has(1))) return true;
  // 8.5 7.9 8.2
  const dots = has('.');
  if (dots > 1 && dots < count - 1 && !sizes.has(5)) return true;
  if (groups.filter(({ digits }) => isYear(digits)).length > 1) return true;
  if (sizes.size > 1 && count > 3 && isFalling) return true;
  // Marks of five subjects: no pair is small, and only spaces or commas separate them.
  const areMarks = isEvery(
    groups,
    ({ digits, separator }) => digits.length === 2 && digits >= '3' && /^,? ?$/u.test(separator),
  );
  if (areMarks && count > 2) return true;
  // 7-10-2024 930
  const isDate = groups.some(
    ({ digits }, n) =>
      n > 1 &&
      isYear(digits) &&
      (groups[n - 1]?.digits.length ?? 9) < 3 &&
      (groups[n - 2]?.digits.length ?? 9) < 3,
  );
  if (isDate) return true;
  const first = groups[0]?.first ?? 0;
  const last = groups.at(-1)?.last ?? 0;
  return (
    count > 1 &&
    !(sizes.size === 1 && sizes.has(1)) &&
    (hasCueNear(tokens, first, last, 'scores', 8, 6) || hasCueNear(tokens, first, last, 'amount'))
  );
}

/** A + that begins a number, not the one in 10+2. */
function hasPlus(tokens: readonly Token[], first: number): boolean {
  let at = first - 1;
  if (tokens[at]?.text === '(') at -= 1;
  const sign = tokens[at];
  if (sign?.text !== '+') return false;
  const before = tokens[at - 1];
  return !sign.isGlued || !before || before.kind === 'sign';
}

/** A part of a code such as TXN9876543210 or A9876543210B. */
function isInCode(tokens: readonly Token[], text: string, { first, last }: Group): boolean {
  const [before, after] = [tokens[first - 1], tokens[last + 1]];
  const touchesBefore = tokens[first]?.isGlued === true && before?.kind === 'word';
  const touchesAfter = after?.isGlued === true && after.kind === 'word';
  if (!touchesBefore) return false;
  const letters = text.slice(before.start, before.end);
  return touchesAfter || (letters.length > 1 && letters === letters.toUpperCase() && before.cues.size === 0);
}

type Verdict = 'phone' | 'aadhaar' | 'pass' | undefined;

interface Window {
  readonly groups: readonly Group[];
  /** No other digits stand beside these. */
  readonly isAlone: boolean;
  readonly isPlus: boolean;
}

function judge(tokens: readonly Token[], text: string, { groups, isAlone, isPlus }: Window): Verdict {
  const [head] = groups as readonly [Group];
  const end = groups.at(-1) as Group;
  const digits = groups.map((group) => group.digits).join('');
  const { length } = digits;
  const count = groups.length;
  const isWhole = count === 1;
  if (isHelpline(digits)) return 'pass';
  const isNear = (cue: 'aadhaar' | 'landline' | 'helpline') => hasCueNear(tokens, head.first, end.last, cue);
  if (length === 12 && isNear('aadhaar')) return 'aadhaar';
  const heardCount = groups.filter((group) => group.isHomophone).length;
  if (heardCount > 4) return undefined;
  const isSingles = isEvery(groups, (group) => group.digits.length === 1);
  const isPairs = isEvery(groups, (group) => group.digits.length === 2);
  if (heardCount > 0 && !isSingles) return undefined;

  if (isPlus && length >= 8 && !digits.startsWith('0')) {
    const code = head.digits.length;
    const isCode = code === 1 ? '17'.includes(head.digits) || isSingles : code <= 5 || code >= 8;
    // Of an Indian number all ten digits: the window that has them comes first.
    if (isCode && (!digits.startsWith('91') || length === 12) && (isAlone || isWhole || length >= 11))
      return 'phone';
  }
  const meaning = meaningOf(tokens, head.first, end.last);
  if (meaning === 'other') return undefined;
  const isCued = meaning !== 'none';
  // Counting down, to calm down.
  if (isSingles && digits === '9876543210' && !isCued) return undefined;
  const mobile = mobileOf(digits);
  if (mobile !== undefined) {
    if (meaning === 'phone' && (isAlone || count <= 3)) return 'phone';
    if (isWhole) {
      if (isInCode(tokens, text, head)) return undefined;
      const isRound = mobile.endsWith('000000') || mobile === (mobile[0] ?? '').repeat(10);
      return isRound && !isCued ? undefined : 'phone';
    }
    const isSpoken = groups.some((group) => group.isSpoken);
    const isShaped = count <= 4 && isEvery(groups, (group) => group.digits.length > 1);
    if ((isAlone || isShaped) && (isSpoken || !isList(tokens, groups))) return 'phone';
    if (isCued && isAlone) return 'phone';
  }
  // 022 2556 3291, 080-41234567
  const isTrunk = length === 11 && digits.startsWith('0') && digits[1] !== '0' && digits[1] !== '9';
  const isArea = isWhole || isSingles || (head.digits.length >= 3 && head.digits.length <= 5 && count <= 4);
  if (isTrunk && isArea && !isNear('helpline') && (isAlone || isWhole) && !isList(tokens, groups))
    return 'phone';
  if (length >= 12 && digits.startsWith('00') && digits[2] !== '0' && (isWhole || isCued)) return 'phone';
  if (isNear('landline') && length <= 10 && count <= 3 && !isNear('helpline')) return 'phone';
  const hasArea = groups.some((group) => group.digits.length >= 3);
  if (length >= 10 && length <= 13 && digits >= '2' && hasArea && count <= 5 && isAlone) {
    const isAmerican = count === 3 && tokens[head.first - 1]?.text === '(';
    if (meaning === 'phone' || isAmerican || (isCued && length > 10))
      return isList(tokens, groups) ? undefined : 'phone';
  }
  const isFours = count === 3 && isEvery(groups, (group) => group.digits.length === 4);
  if (length === 12 && digits >= '2' && (isWhole || isFours || isSingles || isPairs) && isAlone)
    if (isVerhoeff(digits) && (isWhole ? !isInCode(tokens, text, head) : !isList(tokens, groups)))
      return 'aadhaar';
  return undefined;
}

/** Judges every sequence of groups of at most fifteen digits, the longest first. */
function* judgeRun(tokens: readonly Token[], text: string, run: readonly Group[]): Generator<Found> {
  /** No group, or the outermost word, which may be no digit. */
  const isEdge = (at: number) =>
    at < 0 || at >= run.length || ((at === 0 || at === run.length - 1) && run[at]?.isLoose === true);
  for (let from = 0; from < run.length; from += 1) {
    const first = run[from]?.first ?? 0;
    const isPlus = hasPlus(tokens, first);
    let to = from;
    let total = 0;
    while (to < run.length && to < from + maxGroups && total + (run[to]?.digits.length ?? 0) <= maxDigits) {
      total += run[to]?.digits.length ?? 0;
      to += 1;
    }
    for (; to > from && total >= minDigits; to -= 1) {
      const last = run[to - 1] as Group;
      const length = total;
      total -= last.digits.length;
      const isAlone = isEdge(from - 1) && isEdge(to);
      // Beside other digits only what has the form of a full number is one. This bounds the work on long runs.
      if (!isAlone && !isPlus && (to - from > 4 || length < 10)) continue;
      const verdict = judge(tokens, text, { groups: run.slice(from, to), isAlone, isPlus });
      if (verdict === undefined) continue;
      const opening = isPlus ? (tokens[first - 1]?.text === '(' ? 2 : 1) : 0;
      if (verdict !== 'pass') yield { rule: verdict, first: first - opening, last: last.last };
      from = to - 1;
      break;
    }
  }
}

export function* findNumbers(tokens: readonly Token[], text: string): Generator<Found> {
  for (let at = 0; at < tokens.length; at += 1) {
    const read = readDigits(tokens, at);
    if (!read) continue;
    const isLoose = looseDigits.has(tokens[at]?.text ?? '');
    const run: Group[] = [{ ...read, first: at, separator: '', isLoose, isHomophone: false }];
    for (let next = nextGroup(tokens, read.last); next; next = nextGroup(tokens, next.last)) run.push(next);
    yield* judgeRun(tokens, text, run);
    at = run.at(-1)?.last ?? at;
  }
}

/** Five letters, the fourth for the kind of holder, four digits, a letter. */
const panPattern = /^[a-z]{3}[abcfghjlpt][a-z][0-9]{4}[a-z]$/u;

export function* findPan(tokens: readonly Token[], text: string): Generator<Found> {
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token?.kind !== 'word' || token.text.length > 5 || (token.isGlued && tokens[at - 1]?.kind !== 'sign'))
      continue;
    let letters = '';
    let last = at;
    let isSpaced = false;
    for (let n = at; n < tokens.length && n < at + 20 && letters.length < 10; n += 1) {
      const part = tokens[n] as Token;
      if (n > at && (!part.isGlued || part.kind === 'sign')) isSpaced = true;
      if (part.kind === 'sign') {
        if (!'-._/* '.includes(part.text)) break;
        continue;
      }
      letters += letters.length >= 5 ? (digitsOfWord.get(part.text) ?? part.text) : part.text;
      last = n;
    }
    const after = tokens[last + 1];
    if (!panPattern.test(letters) || (after?.isGlued && after.kind !== 'sign')) continue;
    const written = text.slice(token.start, tokens[last]?.end);
    const isPlain = !isSpaced && written === written.toUpperCase();
    if (isPlain || hasCueNear(tokens, at, last, 'pan')) {
      yield { rule: 'pan', first: at, last };
      at = last;
    }
  }
}
