import { countryByTimeZone, knownCountry } from '@unsaid/guard/helplines';

/** Kept in memory only: on a shared phone a stored country would be a trace. */
let chosen: string | undefined;

const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Country whose helplines are shown first: the reader's choice, else that of the browser's time zone. */
export function readerCountry(): string {
  return chosen ?? countryByTimeZone(timeZone());
}

export type CountrySource = 'choice' | 'time zone' | 'default';

/** India is the default where the time zone tells nothing. */
export function countrySource(): CountrySource {
  if (chosen !== undefined) return 'choice';
  return knownCountry(timeZone()) === undefined ? 'default' : 'time zone';
}

export function chooseCountry(country: string): void {
  chosen = country;
}
