import { errorKinds, type Endpoint, type ParsedRequestOf, type ResponseOf } from '@unsaid/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';
import { AppError } from '../errors.ts';
import type { Access, Principal } from './access.ts';
import { appendCookie, readCookie, type CookieOptions } from './cookies.ts';
import { idempotencyKeyOf } from './idempotency.ts';
import { sendPadded } from './padded-response.ts';
import { needsPin, type Pins } from './pins.ts';
import { createSerializer } from './serializer.ts';

export interface Caller {
  /** A keyed hash of the address, cut to /64 for IPv6: good for counting, useless for finding a person. */
  readonly addressKey: string;
  /** The same for its network, which is the address for IPv4. */
  readonly networkKey: string;
  readonly userAgent: string;
  /** As presented, for the one response that echoes it. */
  readonly token: string | null;
  cookie(name: string): string | null;
  setCookie(name: string, value: string, options: CookieOptions): void;
  /** Clears the browser's HTTP cache of this origin, which holds avatars. The service worker and its files stay. */
  dropBrowserCache(): void;
  /** Identifies this write of this user, from the `Idempotency-Key` header. Null without one. */
  readonly idempotencyKey: Buffer | null;
  /** Whether reads must find what the caller wrote a moment ago. Without a standby always true. */
  readonly isPinned: boolean;
  /** Runs once the response has been sent. */
  afterResponse(work: () => void): void;
}

export type Context<E extends Endpoint, V extends Principal> = ParsedRequestOf<E> & {
  readonly caller: Caller;
  readonly viewer: E['auth'] extends 'public' ? null : V;
};

export interface Binding {
  readonly endpoint: Endpoint;
  handle(context: never): Promise<unknown>;
}

/** What a handler returns: the response without `success: true`, which is added here. */
export type HandlerResult<E extends Endpoint> = keyof ResponseOf<E> extends 'success'
  ? void
  : Omit<ResponseOf<E>, 'success'>;

/** Makes `bind` for an application's type of signed-in caller, which the platform does not know. */
export function bindFor<V extends Principal>() {
  return <const E extends Endpoint>(
    endpoint: E,
    handle: (context: Context<E, V>) => Promise<HandlerResult<E>>,
  ): Binding => ({ endpoint, handle });
}

declare module 'fastify' {
  interface FastifyRequest {
    viewer: Principal | null;
    token: string | null;
    afterResponse: (() => void)[];
    pin: ReturnType<Pins['read']>;
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint;
  }
}

interface BindingOptions {
  isPaused?(endpoint: Endpoint): boolean;
  /** Null without a standby. */
  readonly pins?: Pins | null;
}

export function registerBindings(
  app: FastifyInstance,
  bindings: readonly Binding[],
  access: Access,
  { isPaused = () => false, pins = null }: BindingOptions = {},
): void {
  app.decorateRequest('viewer', null);
  app.decorateRequest('token', null);
  app.decorateRequest('afterResponse', null as never);
  app.decorateRequest('pin', null);
  app.addHook('onResponse', (request, _reply, done) => {
    for (const work of request.afterResponse ?? []) work();
    done();
  });

  for (const { endpoint, handle } of bindings) {
    if (!access.serves(endpoint)) throw new Error(`${endpoint.path} is not for callers of this application`);
    const serialize = createSerializer(endpoint.response);
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      config: { endpoint },
      ...(endpoint.maxBodyBytes ? { bodyLimit: endpoint.maxBodyBytes } : {}),
      // Runs before the body is read: a signed-out caller gets 401, not the errors in their JSON.
      onRequest: async (request) => {
        request.afterResponse = [];
        if (pins) request.pin = pins.read(request);
        if (isPaused(endpoint)) throw new AppError('PAUSED', { retryAfterSeconds: 60 });
        request.viewer = await access.authorize(request, endpoint);
      },
      ...(pins ? { onSend: pinning(pins, endpoint) } : {}),
      handler: async (request, reply) => {
        const context = {
          ...parseInputs(endpoint, request),
          viewer: request.viewer,
          caller: callerOf(request, reply, endpoint, access),
        };
        const body = { success: true, ...((await handle(context as never)) as object | undefined) };
        if (endpoint.cacheSeconds !== undefined)
          reply.header('cache-control', `public, max-age=${endpoint.cacheSeconds}`);
        return sendPadded(reply.code(endpoint.status ?? 200), serialize(body));
      },
    });
  }
}

/** After the work, so that the pin begins when everything is written; also where it failed. */
function pinning(pins: Pins, endpoint: Endpoint): onSendHookHandler {
  return (request, reply, payload, done) => {
    if (needsPin(endpoint, request.pin, request.viewer !== null)) pins.set(reply);
    done(null, payload);
  };
}

function callerOf(request: FastifyRequest, reply: FastifyReply, endpoint: Endpoint, access: Access): Caller {
  return {
    idempotencyKey: idempotencyKeyOf(request, endpoint),
    // A getter: few handlers need it, and the keyed hash costs more than the rest of this object.
    get addressKey() {
      return access.addressKey(request);
    },
    get networkKey() {
      return access.addressKey(request, 56);
    },
    userAgent: request.headers['user-agent'] ?? '',
    token: request.token,
    isPinned: request.pin !== 'free',
    cookie: (name) => readCookie(request.headers.cookie, name),
    setCookie: (name, value, options) => appendCookie(reply, name, value, options),
    dropBrowserCache: () => void reply.header('clear-site-data', '"cache"'),
    afterResponse: (work) => request.afterResponse.push(work),
  };
}

/** Unknown keys are dropped and types are not coerced. Errors name the field and the rule, and never echo the value. */
function parseInputs(endpoint: Endpoint, request: FastifyRequest): Record<string, unknown> {
  const parsed: Record<string, unknown> = {};
  const fields: { path: string; rule: string }[] = [];
  for (const part of ['params', 'query', 'body'] as const) {
    const schema = endpoint[part];
    if (!schema) continue;
    const result = schema.safeParse(part === 'body' ? (request.body ?? {}) : request[part]);
    if (result.success) parsed[part] = result.data;
    else {
      for (const issue of result.error.issues) {
        fields.push({
          path: issue.path.join('.'),
          rule: issue.code === 'custom' ? issue.message : issue.code,
        });
      }
    }
  }
  if (fields.length > 0) {
    throw new AppError('VALIDATION_FAILED', {
      message: endpoint.invalidMessage ?? errorKinds.VALIDATION_FAILED.message,
      fields: fields.slice(0, 20),
    });
  }
  return parsed;
}
