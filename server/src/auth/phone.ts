import parsePhoneNumber from 'libphonenumber-js/max';
import { AppError } from '../platform/errors.ts';

export interface PhoneRules {
  readonly countries: readonly string[] | 'all';
  /** The prescribed code of a test number. Matched by exact spelling before anything else: fictitious numbers are not valid ones. */
  testCode(typed: string): string | undefined;
}

export interface ReadPhone {
  /** E.164. */
  readonly phone: string;
  /** Null for a test number: it is nobody's. */
  readonly country: string | null;
}

/** The one spelling of a number that everything else is made from. Only the digits decide the answer. */
export function readPhone(typed: string, rules: PhoneRules): ReadPhone {
  if (rules.testCode(typed) !== undefined) return { phone: typed, country: null };
  // Full-width digits and plus signs are what some keyboards give.
  const plain = typed.normalize('NFKC').trim();
  if (!plain.startsWith('+')) throw new AppError('INVALID_PHONE');
  const parsed = parsePhoneNumber(plain);
  if (!parsed?.isValid() || parsed.ext) throw new AppError('INVALID_PHONE');
  const type = parsed.getType();
  if (type !== 'MOBILE' && type !== 'FIXED_LINE_OR_MOBILE') throw new AppError('INVALID_PHONE');
  if (!parsed.country || (rules.countries !== 'all' && !rules.countries.includes(parsed.country))) {
    throw new AppError('COUNTRY_NOT_SUPPORTED');
  }
  return { phone: parsed.number, country: parsed.country };
}
