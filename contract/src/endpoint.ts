import type * as z from 'zod/mini';
import type { BudgetName } from './budgets.ts';
import type { ErrorCode } from './errors.ts';

type Schema = z.ZodMiniType;
type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** An unparsed query string; repeated names give a list. */
export type RawQuery = { readonly [name: string]: unknown };

/** The declaration of one API call, shared by server and web. */
export interface Endpoint {
  readonly method: HttpMethod;
  /** Path parameters are written `:name`, and each has an entry in `params`. */
  readonly path: `/api/${string}`;
  readonly summary: string;
  /** `session` by default, so that a forgotten declaration fails closed. */
  readonly auth?: 'session' | 'public' | 'moderator';
  /** The roles of moderators that may make this call; all by default. */
  readonly roles?: readonly ('moderator' | 'lead' | 'auditor')[];
  /** A moderator needs a passkey proof of the last minutes. */
  readonly needsProof?: boolean;
  /** Pages of the console make this call by themselves again and again: it does not keep a session from ending idle. */
  readonly isPolled?: boolean;
  /** Reads the session from the database, never from a cache: for calls that must fail as soon as a session is revoked. */
  readonly isSensitive?: boolean;
  /** A suspended account may still make this call. */
  readonly isOpenToSuspended?: boolean;
  /** Others can see what it does, so a limited account may not make this call. */
  readonly isSpeaking?: boolean;
  readonly params?: Schema;
  readonly query?: Schema;
  readonly body?: Schema;
  /** The specification's message for invalid input, if it has one. */
  readonly invalidMessage?: string;
  /** An allow-list: fields that it does not name are not sent. */
  readonly response: Schema;
  readonly status?: 200 | 201;
  /** Errors beyond those that every call can return. */
  readonly errors?: readonly ErrorCode[];
  /**
   * A public call with limits of its own. It does not count against the calls of its address, so that nobody behind a
   * shared address can keep the others from making it.
   */
  readonly hasOwnLimits?: boolean;
  /** Rate limits of the caller that this call consumes, beyond the general ones. */
  readonly rate?: readonly BudgetName[];
  /** How much it consumes, if not 1. Computed from the unparsed query, because limits are enforced before parsing. */
  readonly cost?: { readonly [Name in BudgetName]?: (query: RawQuery) => number };
  readonly maxBodyBytes?: number;
  /** Request and response are padded to a multiple of this, and not as `padding.ts` does it for every call with a body. */
  readonly padToBytes?: number;
  /** Public and the same for everyone: browsers and proxies may keep the response for so long. */
  readonly cacheSeconds?: number;
  /** Takes an `Idempotency-Key`: a request repeated with the same key gets the same response and has no second effect. */
  readonly isIdempotent?: boolean;
}

/** Keeps the literal types of a declaration, from which handlers and clients are typed. */
export function endpoint<const E extends Endpoint>(declaration: E): E {
  return declaration;
}

type InputOf<S> = S extends Schema ? z.input<S> : undefined;
type OutputOf<S> = S extends Schema ? z.output<S> : undefined;

/** What a client sends. */
export type RequestOf<E extends Endpoint> = {
  [K in 'params' | 'query' | 'body' as E[K] extends Schema ? K : never]: InputOf<E[K]>;
};

/** What a handler receives, after parsing. */
export type ParsedRequestOf<E extends Endpoint> = {
  [K in 'params' | 'query' | 'body' as E[K] extends Schema ? K : never]: OutputOf<E[K]>;
};

export type ResponseOf<E extends Endpoint> = z.output<E['response']>;
