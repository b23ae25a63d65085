import parsePhoneNumber from 'libphonenumber-js/max';
import { AppError } from '../../platform/errors.ts';

export interface PhoneRules {
  readonly countries: readonly string[] | 'all';
  /** The fixed code of a test number. Matched literally and first: fictitious numbers fail validation. */
  testCode(typed: string): string | undefined;
}

export interface ReadPhone {
  /** E.164. */
  readonly phone: string;
  /** Null for a test number. */
  readonly country: string | null;
}

/** Normalizes a number to E.164. The result depends on the digits alone. */
export function readPhone(typed: string, rules: PhoneRules): ReadPhone {
  if (rules.testCode(typed) !== undefined) return { phone: typed, country: null };
  // Some keyboards produce full-width digits and plus signs.
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
