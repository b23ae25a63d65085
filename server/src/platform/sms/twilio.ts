import { post } from './post.ts';
import type { SmsProvider } from './sms.ts';

export interface TwilioSettings {
  readonly url: URL;
  readonly accountSid: string;
  /** An API key, which can be revoked separately; or the account's sid with its token. */
  readonly keySid: string;
  readonly keySecret: string;
  /** A number, a sender name, or the sid of a messaging service (MG…). */
  readonly sender: string;
}

interface Timing {
  readonly timeoutMs: number;
  /** Messages still queued after this are not sent: an expired code only confuses. */
  readonly validSeconds: number;
}

export function createTwilio(settings: TwilioSettings, { timeoutMs, validSeconds }: Timing): SmsProvider {
  const { accountSid, keySid, keySecret, sender } = settings;
  const url = new URL(`/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`, settings.url);
  const authorization = `Basic ${Buffer.from(`${keySid}:${keySecret}`).toString('base64')}`;
  const senderField = sender.startsWith('MG') ? 'MessagingServiceSid' : 'From';
  return {
    name: 'twilio',
    send: ({ to, text }) =>
      post(
        {
          url,
          timeoutMs,
          headers: {
            authorization,
            accept: 'application/json',
            'content-type': 'application/x-www-form-urlencoded',
          },
          body: new URLSearchParams({
            To: to,
            [senderField]: sender,
            Body: text,
            ValidityPeriod: String(validSeconds),
          }).toString(),
        },
        (status, response) => {
          if (status >= 400 && status < 500) return 'refused';
          const { sid, status: state } = (response ?? {}) as { sid?: unknown; status?: unknown };
          if (status < 200 || status >= 300 || typeof sid !== 'string') return 'unknown';
          return state === 'failed' || state === 'undelivered' ? 'refused' : 'accepted';
        },
      ),
  };
}
