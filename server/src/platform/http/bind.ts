import {
  errorKinds,
  type BudgetName,
  type Endpoint,
  type ParsedRequestOf,
  type RawQuery,
  type ResponseOf,
} from '@unsaid/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import type { Limiter } from '../limiter.ts';
import { refusalError } from '../limiter.ts';
import type { Person } from '../persons.ts';
import { appendCookie, readCookie, type CookieOptions } from './cookies.ts';
import { createWriter } from './writer.ts';

/** Who is asking. */
export interface Viewer {
  readonly userId: bigint;
  readonly sessionId: bigint;
  readonly tokenSha256: Buffer;
  /** Their keys on the content side. */
  readonly person: Person;
  /** As whom a budget counts them: the person, or this one of their sessions. */
  countedAs(budget: BudgetName): Buffer;
  readonly isSuspended: boolean;
  /** Of the last day or two: some budgets are smaller then. */
  readonly isNewcomer: boolean;
}

interface Caller {
  /** The address, keyed and cut to /64 for IPv6: good for counting, useless for finding anyone. */
  readonly addressKey: string;
  readonly userAgent: string;
  /** As presented, for the one answer that echoes it. */
  readonly token: string | null;
  cookie(name: string): string | null;
  setCookie(name: string, value: string, options: CookieOptions): void;
  /** Has the browser drop its HTTP cache of us, where pictures of people lie. The service worker and its files stay. */
  dropBrowserCache(): void;
  /** Of an `Idempotency-Key` sent along: names this write of this person, and nothing else. Null without one. */
  readonly idempotencyKey: Buffer | null;
  /** Runs once the answer has been sent. */
  afterAnswer(work: () => void): void;
}

type Context<E extends Endpoint> = ParsedRequestOf<E> & {
  readonly caller: Caller;
  readonly viewer: E['auth'] extends 'public' ? null : Viewer;
};

export interface Binding {
  readonly endpoint: Endpoint;
  handle(context: never): Promise<unknown>;
}

/** What a handler gives back; the envelope's `success: true` is put around it here. */
type Answer<E extends Endpoint> = keyof ResponseOf<E> extends 'success'
  ? void
  : Omit<ResponseOf<E>, 'success'>;

/** Ties a call of the contract to the function that answers it; a route file is a list of these. */
export function bind<const E extends Endpoint>(
  endpoint: E,
  handle: (context: Context<E>) => Promise<Answer<E>>,
): Binding {
  return { endpoint, handle };
}

export interface BindingServices {
  readonly limiter: Limiter;
  addressKey(request: FastifyRequest): string;
  /** Null where the token opens no session. */
  authenticate(token: string, options: { readonly skipCache: boolean }): Promise<Viewer | null>;
}

declare module 'fastify' {
  interface FastifyRequest {
    viewer: Viewer | null;
    token: string | null;
    afterAnswer: (() => void)[];
  }
  interface FastifyContextConfig {
    endpoint?: Endpoint;
  }
}

const tokenPattern = /^Bearer (uns_[A-Za-z0-9_-]{43})$/u;

export function registerBindings(
  app: FastifyInstance,
  bindings: readonly Binding[],
  services: BindingServices,
): void {
  app.decorateRequest('viewer', null);
  app.decorateRequest('token', null);
  app.decorateRequest('afterAnswer', null as never);
  app.addHook('onResponse', (request, _reply, done) => {
    for (const work of request.afterAnswer ?? []) work();
    done();
  });

  for (const { endpoint, handle } of bindings) {
    const write = createWriter(endpoint.response);
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      config: { endpoint },
      ...(endpoint.maxBodyBytes ? { bodyLimit: endpoint.maxBodyBytes } : {}),
      // Before the body is read: a stranger is told to sign in, not what is wrong with their JSON.
      onRequest: (request) => admit(request, endpoint, services),
      handler: async (request, reply) => {
        const context = {
          ...parseInputs(endpoint, request),
          viewer: request.viewer,
          caller: callerOf(request, reply, endpoint, services),
        };
        const answer = { success: true, ...((await handle(context as never)) as object | undefined) };
        return reply
          .code(endpoint.status ?? 200)
          .type('application/json; charset=utf-8')
          .send(write(answer));
      },
    });
  }
}

async function admit(request: FastifyRequest, endpoint: Endpoint, services: BindingServices): Promise<void> {
  request.afterAnswer = [];
  request.token = tokenPattern.exec(request.headers.authorization ?? '')?.[1] ?? null;
  if (endpoint.auth === 'public') {
    return refuseIfOver(services.limiter, [
      { budget: 'callsPerAddress', subject: services.addressKey(request) },
    ]);
  }
  const viewer = request.token
    ? await services.authenticate(request.token, { skipCache: endpoint.isSensitive ?? false })
    : null;
  if (!viewer) {
    // Guessing at tokens is counted where it comes from.
    await refuseIfOver(services.limiter, [
      { budget: 'callsPerAddress', subject: services.addressKey(request) },
    ]);
    throw new AppError('UNAUTHENTICATED');
  }
  request.viewer = viewer;
  const drawnOn: readonly BudgetName[] = ['callsPerToken', 'callsPerUser', ...(endpoint.rate ?? [])];
  await refuseIfOver(
    services.limiter,
    drawnOn.map((budget) => ({
      budget,
      subject: viewer.countedAs(budget),
      isNewcomer: viewer.isNewcomer,
      cost: endpoint.cost?.[budget]?.(request.query as RawQuery) ?? 1,
    })),
  );
  if (viewer.isSuspended && !endpoint.isOpenToSuspended) throw new AppError('ACCOUNT_SUSPENDED');
}

async function refuseIfOver(
  limiter: Limiter,
  requests: Parameters<Limiter['takeFromBuckets']>[0],
): Promise<void> {
  const refusal = await limiter.takeFromBuckets(requests);
  if (refusal) {
    throw refusalError('RATE_LIMITED', refusal);
  }
}

/** What clients make up: a UUID, or anything as short and plain. */
const idempotencyPattern = /^[A-Za-z0-9_-]{8,64}$/u;

function idempotencyKeyOf(request: FastifyRequest, endpoint: Endpoint): Buffer | null {
  const sent = request.headers['idempotency-key'];
  if (
    !endpoint.isIdempotent ||
    !request.viewer ||
    typeof sent !== 'string' ||
    !idempotencyPattern.test(sent)
  ) {
    return null;
  }
  return request.viewer.person.mark('idempotency', endpoint.path, sent);
}

function callerOf(
  request: FastifyRequest,
  reply: FastifyReply,
  endpoint: Endpoint,
  services: BindingServices,
): Caller {
  return {
    idempotencyKey: idempotencyKeyOf(request, endpoint),
    // Few calls ask, and a keyed hash costs more than the rest of this.
    get addressKey() {
      return services.addressKey(request);
    },
    userAgent: request.headers['user-agent'] ?? '',
    token: request.token,
    cookie: (name) => readCookie(request.headers.cookie, name),
    setCookie: (name, value, options) => appendCookie(reply, name, value, options),
    dropBrowserCache: () => void reply.header('clear-site-data', '"cache"'),
    afterAnswer: (work) => request.afterAnswer.push(work),
  };
}

/** Unknown keys are dropped, types are never bent, and what is refused is named but not echoed. */
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
