/** The first sign that a user agent has says which it is. */
const browsers = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['SamsungBrowser', 'Samsung Internet'],
  ['UCBrowser', 'UC Browser'],
  ['Firefox', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['CriOS', 'Chrome'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const;
const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'Mac'],
  ['CrOS', 'Chromebook'],
  ['Linux', 'Linux'],
] as const;

type Signs = readonly (readonly [sign: string, name: string])[];

/** One byte, as it is stored: positions counted from 1, so the lists only grow at their ends. */
export function deviceCode(userAgent: string): number {
  const find = (signs: Signs) => signs.findIndex(([sign]) => userAgent.includes(sign)) + 1;
  return find(browsers) * 16 + find(systems);
}

/** "Chrome on Android": enough to recognise a phone in the list of sessions, too coarse to fingerprint it. */
export function deviceLabel(code: number): string {
  const nameIn = (signs: Signs, position: number) => signs[position - 1]?.[1];
  const [browser, system] = [nameIn(browsers, Math.floor(code / 16)), nameIn(systems, code % 16)];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? 'Unknown device';
}
