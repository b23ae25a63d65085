import { errorBody, type Endpoint, type RequestOf, type ResponseOf } from '@unsaid/contract';

const timeoutMs = 20_000;

/** A failed call. It holds only what may be shown. */
export class CallError extends Error {
  override readonly name = 'CallError';
  /** 0: there was no response. */
  readonly status: number;
  readonly code: string;
  readonly sentence: string;

  constructor({ status = 0, code = '', sentence = '' }: Partial<Omit<CallError, keyof Error>>) {
    super(code);
    this.status = status;
    this.code = code;
    this.sentence = sentence;
  }
}

type Scalar = string | number | boolean;

interface LooseRequest {
  readonly params?: Record<string, Scalar | undefined>;
  readonly query?: Record<string, Scalar | undefined>;
  readonly body?: unknown;
}

type ArgumentsOf<E extends Endpoint> = keyof RequestOf<E> extends never ? [] : [request: RequestOf<E>];

function addressOf(path: string, { params = {}, query = {} }: LooseRequest): string {
  const filled = path.replace(/:(\w+)/gu, (_, name: string) => encodeURIComponent(String(params[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? filled : `${filled}?${search}`;
}

let endSession = () => {};

/** Called when the server no longer knows the session. */
export function onSessionEnd(listener: () => void): void {
  endSession = listener;
}

/**
 * Calls an endpoint of the contract. The session is a cookie that scripts cannot read. The response is typed but not
 * validated: the server is trusted to follow the schema.
 */
export async function call<E extends Endpoint>(
  endpoint: E,
  ...[request]: ArgumentsOf<E>
): Promise<ResponseOf<E>> {
  const loose: LooseRequest = request ?? {};
  let response: Response;
  let content: unknown;
  try {
    response = await fetch(addressOf(endpoint.path, loose), {
      method: endpoint.method,
      headers: {
        accept: 'application/json',
        ...(loose.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(loose.body !== undefined && { body: JSON.stringify(loose.body) }),
      signal: AbortSignal.timeout(timeoutMs),
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
    });
    content = await response.json();
  } catch {
    throw new CallError({});
  }
  if (response.ok) return content as ResponseOf<E>;
  if (response.status === 401 && endpoint.auth === 'moderator') endSession();
  const parsed = errorBody.safeParse(content);
  throw new CallError({
    status: response.status,
    ...(parsed.success && { code: parsed.data.code, sentence: parsed.data.message }),
  });
}
