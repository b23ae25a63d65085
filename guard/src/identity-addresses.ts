import { hasCueNear, type Found, type Token } from './identity-tokens.ts';
import {
  digitsOfWord,
  domains,
  mailProviders,
  places,
  plainProviders,
  upiCompanies,
  upiHandle,
  wordDomains,
} from './identity-words.ts';

/** E-mail and UPI addresses, links and handles. */

type Tokens = readonly Token[];

const brackets: Readonly<Record<string, string>> = {
  '(': ')',
  '[': ']',
  '{': '}',
  '<': '>',
  '-': '-',
  _: '_',
  '*': '*',
};
const atWords = new Set(['at', 'एट', 'ऐट']);
const dotWords = new Set(['dot', 'डॉट']);
/** Most tokens that one address, link or handle may have: the work for one place is bounded. */
const maxTokens = 24;

const isText = (token: Token | undefined) => token !== undefined && token.kind !== 'sign';

/** A written or spoken sign: how sure it is that it is none of the ordinary words, and the token after it. */
interface Sign {
  readonly kind: 'sign' | 'spaced' | 'bracketed' | 'spoken';
  readonly next: number;
}

/** `sign` or a word for it, plain or in brackets. */
function readSign(tokens: Tokens, at: number, sign: string, words: ReadonlySet<string>): Sign | undefined {
  const token = tokens[at];
  if (!token) return undefined;
  if (token.text === sign) {
    const isTight = token.isGlued && tokens[at + 1]?.isGlued === true;
    return { kind: isTight ? 'sign' : 'spaced', next: at + 1 };
  }
  const closing = brackets[token.text];
  const inner = tokens[at + 1];
  if (
    closing !== undefined &&
    inner &&
    (words.has(inner.text) ||
      inner.text === sign ||
      (inner.text === 'a' && sign === '@' && token.text === '('))
  ) {
    if (tokens[at + 2]?.text === closing) return { kind: 'bracketed', next: at + 3 };
  }
  return words.has(token.text) ? { kind: 'spoken', next: at + 1 } : undefined;
}

function readAt(tokens: Tokens, at: number): Sign | undefined {
  const token = tokens[at];
  if (token?.text === 'attherate' || token?.text === 'एटदरेट') return { kind: 'bracketed', next: at + 1 };
  const sign = readSign(tokens, at, '@', atWords);
  if (!sign) return undefined;
  // "at the rate", "at rate", "at the rate of"
  const skip = (from: number, words: string[]) => {
    const at2 = tokens[from]?.text === '-' ? from + 1 : from;
    return words.includes(tokens[at2]?.text ?? '') ? at2 + 1 : from;
  };
  const article = skip(sign.next, ['the', 'da', 'd', 'द']);
  const rate = skip(article, ['rate', 'ret', 'रेट']);
  if (rate === article) return sign;
  const next = skip(rate, ['of']);
  return { kind: 'bracketed', next };
}

const readDot = (tokens: Tokens, at: number) => readSign(tokens, at, '.', dotWords);

/** Words, digits and hyphens without a space. Returns the token after them. */
function skipLabel(tokens: Tokens, at: number): number {
  let next = at;
  while (next < at + maxTokens && next < tokens.length) {
    const token = tokens[next];
    if (!token || (next > at && !token.isGlued)) break;
    // A hyphen belongs to the name of a domain, but not where it stands around a word: gmail-dot-com.
    const after = tokens[next + 1];
    if (
      !isText(token) &&
      (token.text !== '-' || next === at || !after || !isText(after) || dotWords.has(after.text))
    )
      break;
    next += 1;
  }
  return next;
}

const textOf = (tokens: Tokens, from: number, to: number) =>
  tokens
    .slice(from, to)
    .map(({ text }) => text)
    .join('');

interface Domain {
  readonly name: string;
  /** Empty if there is no dot. */
  readonly top: string;
  readonly last: number;
  readonly isSpoken: boolean;
}

function readDomain(tokens: Tokens, at: number): Domain | undefined {
  let end = skipLabel(tokens, at);
  if (end === at) return undefined;
  let name = textOf(tokens, at, end);
  if (name === 'g' && tokens[end]?.text === 'mail') {
    end += 1;
    name = 'gmail';
  }
  let top = '';
  let isSpoken = false;
  for (let labels = 0; labels < 4; labels += 1) {
    const dot = readDot(tokens, end);
    if (!dot) break;
    // "loud. TV on" is the end of a sentence, "riya . com" is not.
    const isSentence = tokens[end]?.isGlued && !mailProviders.has(name);
    if (dot.kind === 'spaced' && (isSentence || !isTop(tokens[dot.next]?.text ?? ''))) break;
    const next = skipLabel(tokens, dot.next);
    const label = textOf(tokens, dot.next, next);
    if (next === dot.next || (dot.kind !== 'sign' && !isTop(label) && labels > 0)) break;
    isSpoken ||= dot.kind !== 'sign';
    top = label;
    end = next;
  }
  return { name, top, last: end - 1, isSpoken };
}

const isTop = (label: string) => domains.has(label) || wordDomains.has(label);
/** Letters and digits or an underscore: no ordinary word. */
const hasLetter = (text: string) => /[^\d._-]/u.test(text);

/** The first token of the name before `@`, spoken or written. Undefined if there is none. */
function startOfName(tokens: Tokens, at: number, isTight: boolean): number | undefined {
  let first = at;
  for (let seen = 0; seen < maxTokens; seen += 1) {
    const before = tokens[first - 1];
    const current = tokens[first];
    if (!before || !current) break;
    const isTouching = first === at ? isTight || current.isGlued || isText(before) : current.isGlued;
    if (isTouching && (isText(before) || '._+-%'.includes(before.text))) {
      first -= 1;
      continue;
    }
    // riya(dot)sharma
    const opening = tokens[first - 3];
    if (dotWords.has(tokens[first - 2]?.text ?? '') && opening && brackets[opening.text] === before.text) {
      first -= 3;
      continue;
    }
    // "riya underscore zero eight", "riya dot sharma", "r i y a"
    const isJoint = (word: string) => dotWords.has(word) || word === 'underscore' || word === 'dash';
    const isPart = (token: Token) =>
      isJoint(token.text) ||
      digitsOfWord.has(token.text) ||
      token.text.length === 1 ||
      token.kind === 'digits';
    if (first < at && isText(before) && !current.isGlued) {
      if (isJoint(current.text) || isJoint(before.text) || (isPart(current) && isPart(before))) {
        first -= 1;
        continue;
      }
    }
    break;
  }
  while (first < at && !isText(tokens[first])) first += 1;
  return first < at ? first : undefined;
}

const notNames = new Set(
  'is me on account mail email login was here am i you it works work working up out not look'.split(' '),
);

/** An e-mail or UPI address whose `@` begins at this token. */
function readAddress(tokens: Tokens, at: number): Found | undefined {
  const sign = readAt(tokens, at);
  if (!sign) return undefined;
  const first = startOfName(tokens, at, sign.kind === 'sign');
  const domain = readDomain(tokens, sign.next);
  if (first === undefined || !domain) return undefined;
  const name = textOf(tokens, first, at);
  if (notNames.has(name) && sign.kind !== 'sign') return undefined;
  const isProvider = mailProviders.has(domain.name);
  const isNick = /[\d._]/u.test(name) || at - first > 1;
  const isNamed = isNick && hasLetter(name);
  const isKnownTop = domain.top !== '' && isTop(domain.top);
  const isTop2 = domain.top.length > 1 && hasLetter(domain.top) && hasLetter(domain.name);
  const isMailCued = () => hasCueNear(tokens, first, at, 'mail', 6, 0);
  const isMail =
    sign.kind === 'sign'
      ? isTop2 || isProvider
      : sign.kind === 'bracketed'
        ? isProvider || isKnownTop
        : isProvider
          ? sign.kind === 'spaced' || isKnownTop || isNick || isMailCued()
          : isKnownTop && (isNamed || isMailCued());
  if (isMail && domain.name.length > 1) return { rule: 'email', first, last: domain.last };
  // A full stop after a UPI address ends the sentence.
  const isCued = () => hasCueNear(tokens, first, domain.last, 'upi');
  const isSure = sign.kind === 'sign' || sign.kind === 'bracketed';
  const isUpi =
    upiHandle.test(domain.name) || (upiCompanies.has(domain.name) && (isSure || isNamed))
      ? isSure || isNamed || isCued()
      : sign.kind === 'sign' && hasLetter(domain.name) && isCued();
  // "joined riya99 at paytm": a company is no handle unless somebody speaks of paying.
  const isEmployer = sign.kind === 'spoken' && upiCompanies.has(domain.name) && !isCued();
  return isUpi && !isEmployer ? { rule: 'upi', first, last: skipLabel(tokens, sign.next) - 1 } : undefined;
}

/** A written name of letters, digits, dots and underscores: its tokens, and what it is made of. */
interface Nick {
  readonly text: string;
  readonly first: number;
  readonly last: number;
}

function readNick(tokens: Tokens, at: number): Nick | undefined {
  let last = at - 1;
  for (let n = at; n < at + maxTokens; n += 1) {
    const token = tokens[n];
    if (!token || (n > at && !token.isGlued)) break;
    if (isText(token)) last = n;
    else if (token.text !== '.' && token.text !== '_' && token.text !== '#') break;
  }
  if (last < at) return undefined;
  const text = textOf(tokens, at, last + 1);
  return text.length >= 3 && text.length <= 40 && /^[a-z0-9._#]+$/u.test(text) && /[a-z]/u.test(text)
    ? { text, first: at, last }
    : undefined;
}

/** No ordinary word: it has an underscore, or letters before digits. One dot may be a full stop without a space. */
function isOdd({ text }: Nick): boolean {
  return (
    text.includes('_') ||
    /^[a-z.]{3,}\d+[a-z]*$/u.test(text) ||
    text.split('.').length > 2 ||
    /#\d{4}$/u.test(text)
  );
}

const ordinaryWithDigits =
  /^(?:class|covid|day|iphone|season|sem|part|room|sector|section|chapter|neet|jee|gate|top)\d+$/u;
const endsName = new Set(['hai', 'h', 'add', 'follow', 'dm', 'karo', 'pe', 'par', 'है']);

/** "insta id: riya.writes", "snap - riyaxoxo": a platform, then words that lead to a name. */
function readHandleAfter(tokens: Tokens, at: number): Found | undefined {
  if (!tokens[at]?.cues.has('platform')) return undefined;
  let isIntroduced = false;
  for (let n = at + 1; n <= at + 8; n += 1) {
    const token = tokens[n];
    if (!token) return undefined;
    if (token.kind === 'sign') {
      if (token.text === '@') return undefined;
      if (':-=—–'.includes(token.text) && !(token.isGlued && tokens[n + 1]?.isGlued && token.text === '-'))
        isIntroduced = true;
      else if (token.text === '.' || token.text === '/') return undefined;
      continue;
    }
    if (token.isGlued && isText(tokens[n - 1])) return undefined;
    if (token.cues.has('named') && !(tokens[n + 1]?.isGlued && '._#'.includes(tokens[n + 1]?.text ?? ''))) {
      isIntroduced ||= ['id', 'handle', 'username', 'is', 'आईडी'].includes(token.text);
      continue;
    }
    const nick = readNick(tokens, n);
    if (
      nick &&
      (isOdd(nick) || (isIntroduced && nick.text.includes('.'))) &&
      !ordinaryWithDigits.test(nick.text)
    )
      return { rule: 'handle', first: n, last: nick.last };
    const after = tokens[(nick?.last ?? n) + 1];
    const isLast = !after || after.kind === 'sign' || after.startsLine || endsName.has(after.text);
    if (
      nick &&
      isIntroduced &&
      isLast &&
      nick.text.length > 4 &&
      nick.last === n &&
      token.cues.size === 0 &&
      isNoWord(nick.text)
    )
      return { rule: 'handle', first: n, last: nick.last };
    if (!['karo', 'dhundo', 'me', 'mujhe', 'find', 'add', 'search'].includes(token.text)) return undefined;
  }
  return undefined;
}

const wordsAfterPlatform = new Set(
  'private hacked deleted deactivated blocked banned toxic addiction stories reels status nothing'.split(' '),
);
const isNoWord = (text: string) => !wordsAfterPlatform.has(text);

/** A handle that begins at this token: @riya_08, u/riya99, "riya_vents on insta", "add me riya_08". */
function readHandle(tokens: Tokens, at: number): Found | undefined {
  const token = tokens[at];
  if (!token) return undefined;
  const before = tokens[at - 1];
  if (token.text === '@') {
    if (token.isGlued && isText(before)) return undefined;
    const nick = tokens[at + 1]?.isGlued ? readNick(tokens, at + 1) : undefined;
    if (!nick || places.has(nick.text)) return undefined;
    const isCued = ['platform', 'follow', 'named'].some((cue) =>
      hasCueNear(tokens, at, nick.last, cue as 'platform', 4, cue === 'named' ? 0 : 3),
    );
    return isOdd(nick) || (isCued && nick.text.length > 3)
      ? { rule: 'handle', first: at, last: nick.last }
      : undefined;
  }
  if (token.text === 'u' && tokens[at + 1]?.text === '/' && tokens[at + 2]?.isGlued && !token.isGlued) {
    const nick = readNick(tokens, at + 2);
    return nick && { rule: 'handle', first: at, last: nick.last };
  }
  if (token.isGlued && before !== undefined && (isText(before) || '._#@/'.includes(before.text)))
    return undefined;
  const after = readHandleAfter(tokens, at);
  if (after) return after;
  // Letters alone are a word.
  const nick = isText(token) && tokens[at + 1]?.isGlued ? readNick(tokens, at) : undefined;
  if (!nick || !isOdd(nick) || ordinaryWithDigits.test(nick.text)) return undefined;
  const joint = tokens[nick.last + 1];
  const isOn = joint !== undefined && ['on', 'pe', 'par', 'in', 'at', 'पर'].includes(joint.text);
  const isPlatform = tokens[nick.last + (isOn ? 2 : 1)]?.cues.has('platform');
  const isFollowed = nick.text.includes('_') && hasCueNear(tokens, at, nick.last, 'follow', 3, 2);
  const isSigned = nick.text.includes('#') && /[a-z]/u.test(nick.text[0] ?? '');
  return isPlatform || isFollowed || (isSigned && hasCueNear(tokens, at, nick.last, 'platform'))
    ? { rule: 'handle', first: at, last: nick.last }
    : undefined;
}

/** The last token before white space or a sign that ends a link. */
function endOfChunk(tokens: Tokens, at: number): number {
  let last = at;
  while (tokens[last + 1]?.isGlued && !'()<>"”’,;•'.includes(tokens[last + 1]?.text ?? '')) last += 1;
  return last;
}

const schemes = new Set(['http', 'https', 'hxxp', 'hxxps', 'ftp']);

/** A link that begins at this token. */
function readLink(tokens: Tokens, at: number): Found | undefined {
  const token = tokens[at];
  if (!token || !isText(token)) return undefined;
  const isScheme = schemes.has(token.text) && tokens[at + 1]?.text === ':' && tokens[at + 2]?.text === '/';
  const isWww = token.text === 'www' && tokens[at + 1]?.text === '.' && tokens[at + 2]?.isGlued === true;
  if (isScheme || isWww) return { rule: 'link', first: at, last: endOfChunk(tokens, at) };
  const before = tokens[at - 1];
  if (token.isGlued && before !== undefined && (isText(before) || '.-_@'.includes(before.text)))
    return undefined;
  if (!readDot(tokens, skipLabel(tokens, at))) return undefined;
  const domain = readDomain(tokens, at);
  if (!domain || domain.top === '' || !isTop(domain.top) || !hasLetter(domain.name)) return undefined;
  if (domain.isSpoken) {
    const isName =
      domain.name.length > 2 &&
      !mailProviders.has(domain.name) &&
      !['the', 'this', 'that', 'and'].includes(domain.name);
    return isName && domains.has(domain.top) ? { rule: 'link', first: at, last: domain.last } : undefined;
  }
  const slash = tokens[domain.last + 1];
  const hasPath = slash?.text === '/' && slash.isGlued && tokens[domain.last + 2]?.isGlued === true;
  // Public offices and mail providers are nobody's address.
  if (mailProviders.has(domain.name) && !hasPath) return undefined;
  if (textOf(tokens, at, domain.last + 1).endsWith('gov.in')) return undefined;
  if (domain.name.length === 1 && !hasPath) return undefined;
  const isCued = () => hasCueNear(tokens, at, domain.last, 'site');
  const isDeep =
    domain.last - at > 3 && /\.(?:co|ac|org|net)\.in$/u.test(textOf(tokens, at, domain.last + 1));
  if (!hasPath && !domains.has(domain.top) && !isDeep && !isCued()) return undefined;
  return { rule: 'link', first: at, last: hasPath ? endOfChunk(tokens, at) : domain.last };
}

/** "riya08 gmail": a nickname before a provider, without a sign. */
function readBareMail(tokens: Tokens, at: number): Found | undefined {
  // riyaATgmailDOTcom
  const word = tokens[at]?.text ?? '';
  if (word.length > 8 && /atgmail|gmail(?:dot)?com$/u.test(word))
    return { rule: 'email', first: at, last: at };
  if (!plainProviders.has(tokens[at]?.text ?? '') || tokens[at]?.isGlued) return undefined;
  const first = startOfName(tokens, at, false);
  if (first === undefined) return undefined;
  const name = textOf(tokens, first, at);
  const dot = readDot(tokens, at + 1);
  const isAddress =
    dot !== undefined && isTop(tokens[dot.next]?.text ?? '') && hasCueNear(tokens, at, at, 'mail', 6, 0);
  const isNick = /[\d_]/u.test(name) && hasLetter(name) && name.length > 3 && !ordinaryWithDigits.test(name);
  if (!isNick && !(isAddress && !notNames.has(name) && tokens[at - 1]?.cues.size === 0)) return undefined;
  const last =
    dot && isTop(tokens[dot.next]?.text ?? '') ? dot.next : isTop(tokens[at + 1]?.text ?? '') ? at + 1 : at;
  return { rule: 'email', first, last: tokens[at + 1]?.text === 'in' ? at : last };
}

export function* findAddresses(tokens: Tokens): Generator<Found> {
  let linkedUntil = -1;
  for (let at = 0; at < tokens.length; at += 1) {
    const address = readAddress(tokens, at) ?? readBareMail(tokens, at);
    if (address) yield address;
    if (at <= linkedUntil) continue;
    const link = readLink(tokens, at);
    if (link) {
      linkedUntil = link.last;
      yield link;
    }
    const handle = readHandle(tokens, at);
    if (handle) yield handle;
  }
}
