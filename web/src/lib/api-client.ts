import {
  padRequestTo,
  type Endpoint,
  type ErrorBody,
  type PowChallenge,
  type RequestOf,
  type ResponseOf,
} from '@unsaid/contract';
import { takeFirstCall } from './first-calls.ts';
import { isRecord } from './history-state.ts';
import { getToken, rejectToken } from './session.ts';

const timeoutMs = 15_000;

type ApiErrorKind = 'response' | 'network' | 'timeout';

/** A failed call. It holds only what may be shown or logged. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly kind: ApiErrorKind;
  readonly status: number;
  readonly code: string;
  /** The server's message for people. Empty when it sent none. */
  readonly sentence: string;
  readonly retryAfterSeconds: number | undefined;
  readonly fields: readonly { path: string; rule: string }[];
  readonly requestId: string | undefined;
  /** Proof-of-work challenge to solve before the retry. */
  readonly challenge: PowChallenge | undefined;
  /** With NO_ACCOUNT_YET. */
  readonly proof: string | undefined;
  /** With RECOVERY_WAITS. */
  readonly opensAt: string | undefined;

  constructor(details: {
    kind: ApiErrorKind;
    status?: number;
    code?: string;
    sentence?: string;
    retryAfterSeconds?: number | undefined;
    fields?: readonly { path: string; rule: string }[] | undefined;
    requestId?: string | undefined;
    challenge?: PowChallenge | undefined;
    proof?: string | undefined;
    opensAt?: string | undefined;
  }) {
    super(details.code ?? details.kind);
    this.kind = details.kind;
    this.status = details.status ?? 0;
    this.code = details.code ?? '';
    this.sentence = details.sentence ?? '';
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.fields = details.fields ?? [];
    this.requestId = details.requestId;
    this.challenge = details.challenge;
    this.proof = details.proof;
    this.opensAt = details.opensAt;
  }
}

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Lets the request finish after the page is closed. */
  readonly keepalive?: boolean;
  /** Sent after this, with the token of now. Must not reject. */
  readonly after?: Promise<unknown> | undefined;
  /**
   * Idempotency key: the same value for every retry of one action. Generated here when the caller never
   * retries.
   */
  readonly idempotencyKey?: string | undefined;
}

type ArgumentsOf<E extends Endpoint> = keyof RequestOf<E> extends never
  ? [request?: CallOptions]
  : [request: RequestOf<E> & CallOptions];

/** Values allowed in a path or a query string. */
type Scalar = string | number | boolean;

interface LooseRequest extends CallOptions {
  readonly params?: Record<string, Scalar | undefined>;
  readonly query?: Record<string, Scalar | undefined>;
  readonly body?: unknown;
}

function buildUrl(
  path: string,
  params: Record<string, Scalar | undefined> = {},
  query: Record<string, Scalar | undefined> = {},
): string {
  const filled = path.replace(/:(\w+)/gu, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`Path parameter ${name} is missing for ${path}`);
    return encodeURIComponent(String(value));
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const tail = search.toString();
  return tail === '' ? filled : `${filled}?${tail}`;
}

/** JSON with spaces after it, which a parser skips. */
function toPaddedJson(endpoint: Endpoint, body: unknown): string {
  const json = JSON.stringify(body);
  const { length } = new TextEncoder().encode(json);
  return json + ' '.repeat(padRequestTo(endpoint, length) - length);
}

/** Parses both forms of Retry-After: seconds and HTTP date. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/u.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

/** Whether the server wrote it, and not a proxy on the way. */
function isErrorBody(body: unknown): body is ErrorBody {
  return (
    isRecord(body) &&
    body['success'] === false &&
    typeof body['code'] === 'string' &&
    typeof body['message'] === 'string'
  );
}

async function toApiError(response: Response): Promise<ApiError> {
  const body = await readJson(response);
  return new ApiError({
    kind: 'response',
    status: response.status,
    retryAfterSeconds: readRetryAfter(response.headers.get('retry-after')),
    ...(isErrorBody(body) && {
      code: body.code,
      sentence: body.message,
      fields: body.fields,
      requestId: body.requestId,
      challenge: body.challenge,
      proof: body.proof,
      opensAt: body.opensAt,
    }),
  });
}

/** For failures that the specification only logs. */
export function logOnly(error: unknown): void {
  console.warn('unsaid:', error);
}

/**
 * Calls an endpoint of the contract. The response is typed but not validated: the server is trusted to follow
 * the schema.
 */
export async function apiCall<E extends Endpoint>(
  endpoint: E,
  ...[request]: ArgumentsOf<E>
): Promise<ResponseOf<E>> {
  const {
    params,
    query,
    body,
    signal,
    keepalive = false,
    after,
    idempotencyKey,
  }: LooseRequest = request ?? {};
  const token = getToken();
  if (after) await after;
  const timeout = AbortSignal.timeout(timeoutMs);
  const stop = signal ? AbortSignal.any([signal, timeout]) : timeout;
  const address = buildUrl(endpoint.path, params, query);
  const first = endpoint.method === 'GET' ? takeFirstCall(address, token, stop) : undefined;

  let response: Response;
  try {
    response = await (first ??
      fetch(address, {
        method: endpoint.method,
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(endpoint.isIdempotent && { 'idempotency-key': idempotencyKey ?? crypto.randomUUID() }),
        },
        ...(body !== undefined && { body: toPaddedJson(endpoint, body) }),
        signal: stop,
        cache: 'no-store',
        keepalive,
        redirect: 'error',
      }));
  } catch (error) {
    // A cancelled call is not reported as a failure.
    if (signal?.aborted) throw error;
    throw new ApiError({ kind: timeout.aborted ? 'timeout' : 'network' });
  }

  if (response.ok) {
    const content = await readJson(response);
    if (content !== undefined) return content as ResponseOf<E>;
    // A captive portal's page, or a truncated body.
    throw new ApiError({ kind: 'network' });
  }

  const error = await toApiError(response);
  // A wrong code is a 401 too, but it does not end the session.
  const isSessionRefused = error.status === 401 && error.code !== 'OTP_INVALID' && endpoint.auth !== 'public';
  if (isSessionRefused && token !== null) rejectToken(token);
  throw error;
}
