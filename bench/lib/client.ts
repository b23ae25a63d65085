import { Agent, request } from 'node:http';
import type { Endpoint, RequestOf, ResponseOf } from '@unsaid/contract';

/** A minimal client of the API: it shares the machine with the server it measures, so it must use little CPU. */

export interface Answer<B> {
  readonly status: number;
  readonly body: B & { readonly code?: string };
}

export interface Client {
  call<E extends Endpoint>(
    endpoint: E,
    input: Partial<RequestOf<E>> & {
      readonly token?: string;
      /** The cookies of a browser, by name: sent, and set by the response. */
      readonly cookies?: Map<string, string>;
    },
  ): Promise<Answer<ResponseOf<E>>>;
  close(): void;
}

export function createClient(port: number, connections: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    call(endpoint, input) {
      const { params, query, body, token, cookies } = input as {
        params?: Record<string, string>;
        query?: Record<string, string>;
        body?: object;
        token?: string;
        cookies?: Map<string, string>;
      };
      const path = endpoint.path.replace(/:([a-z]+)/giu, (_, name: string) =>
        encodeURIComponent(params?.[name] ?? ''),
      );
      const payload = body === undefined ? undefined : JSON.stringify(body);
      return new Promise((resolve, reject) => {
        const asked = request(
          {
            agent,
            port,
            host: '127.0.0.1',
            method: endpoint.method,
            path: query ? `${path}?${new URLSearchParams(query).toString()}` : path,
            headers: {
              ...(token ? { authorization: `Bearer ${token}` } : {}),
              ...(cookies?.size
                ? { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
                : {}),
              ...(payload
                ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }
                : {}),
            },
          },
          (answer) => {
            let text = '';
            for (const cookie of answer.headers['set-cookie'] ?? []) {
              const [, name = '', value = ''] = /^([^=]+)=([^;]*)/u.exec(cookie) ?? [];
              cookies?.set(name, value);
            }
            answer.setEncoding('utf8');
            answer.on('data', (part: string) => (text += part));
            answer.on('end', () =>
              resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) as never }),
            );
            answer.on('error', reject);
          },
        );
        asked.on('error', reject);
        asked.end(payload);
      });
    },
    close: () => agent.destroy(),
  };
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
