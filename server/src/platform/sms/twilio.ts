import { post } from './post.ts';
import type { SmsProvider } from './sms.ts';

export interface TwilioSettings {
  readonly url: URL;
  readonly accountSid: string;
  /** An API key, so that it can be taken away alone; or the account's own sid with its token. */
  readonly keySid: string;
  readonly keySecret: string;
  /** A number, a sender's name, or the sid of a messaging service (MG…). */
  readonly sender: string;
}

interface Timing {
  readonly timeoutMs: number;
  /** What is still in the queue after this is not sent: a code that has ended only confuses. */
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
        (status, answer) => {
          if (status >= 400 && status < 500) return 'refused';
          const { sid, status: state } = (answer ?? {}) as { sid?: unknown; status?: unknown };
          if (status < 200 || status >= 300 || typeof sid !== 'string') return 'unknown';
          return state === 'failed' || state === 'undelivered' ? 'refused' : 'accepted';
        },
      ),
  };
}
