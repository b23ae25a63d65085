import { isLeaving } from './leaving.ts';
import { sessionStore } from './storage.ts';

/**
 * The code that was sent for a sign-in on this tab. Reading the SMS means leaving the browser, and a cheap
 * phone may drop the tab meanwhile: a reload then continues at the code step. Contains the phone number, so it
 * is kept in session storage alone, for as long as the code is valid. Removed by signing in, by the quick exit
 * (boot.js), and by log-out like every key of an account (session.ts).
 */
export interface SentCode {
  /** The page it was sent from. */
  readonly flow: 'signup' | 'login';
  readonly country: string;
  readonly number: string;
  /** End of the code's validity, in milliseconds. */
  readonly until: number;
  /** End of the lock of Resend, in milliseconds. */
  readonly resendAt: number;
  readonly sends: number;
  /** Wrong codes so far. */
  readonly tries: number;
  /** The code was right and the number has no account: what making one needs. */
  readonly proof?: string;
}

const key = 'unsaid.otp';

function isSentCode(value: unknown): value is SentCode {
  if (typeof value !== 'object' || value === null) return false;
  const fields = value as Record<keyof SentCode, unknown>;
  return (
    [fields.flow, fields.country, fields.number].every((field) => typeof field === 'string') &&
    [fields.until, fields.resendAt, fields.sends, fields.tries].every((field) => Number.isFinite(field))
  );
}

let expiry: ReturnType<typeof setTimeout> | undefined;

/** Null removes it. */
export function storeSentCode(code: SentCode | null): void {
  // The response may arrive after the quick exit has removed the number.
  const sent = isLeaving() ? null : code;
  clearTimeout(expiry);
  sessionStore.set(key, sent && JSON.stringify(sent));
  // Also while another page of the app is open.
  if (sent) expiry = setTimeout(storeSentCode, Math.max(0, sent.until - Date.now()), null);
}

/** Null without one, or if it has expired. */
export function readSentCode(): SentCode | null {
  const stored = sessionStore.get(key);
  if (stored === null) return null;
  let sent: unknown;
  try {
    sent = JSON.parse(stored);
  } catch {
    sent = null;
  }
  const valid = isSentCode(sent) && sent.until > Date.now() ? sent : null;
  storeSentCode(valid);
  return valid;
}
