import { post } from './post.ts';
import type { SmsProvider } from './sms.ts';

export interface Msg91Settings {
  readonly url: URL;
  readonly authKey: string;
  /** The template registered with the carriers (DLT). Its text is ours, with ##code## in it twice and ##use## once. */
  readonly templateId: string;
}

export function createMsg91(
  settings: Msg91Settings,
  { timeoutMs }: { readonly timeoutMs: number },
): SmsProvider {
  const url = new URL('api/v5/flow', settings.url);
  return {
    name: 'msg91',
    send: ({ to, code, use }) =>
      post(
        {
          url,
          timeoutMs,
          headers: {
            authkey: settings.authKey,
            accept: 'application/json',
            'content-type': 'application/json',
          },
          body: JSON.stringify({
            template_id: settings.templateId,
            short_url: '0',
            recipients: [{ mobiles: to.slice(1), code, use }],
          }),
        },
        // Errors also have status 200; only the type distinguishes them.
        (status, response) => {
          const { type } = (response ?? {}) as { type?: unknown };
          if (type === 'error' || (status >= 400 && status < 500)) return 'refused';
          return status >= 200 && status < 300 && type === 'success' ? 'accepted' : 'unknown';
        },
      ),
  };
}
