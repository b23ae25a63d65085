import type * as z from 'zod/mini';
import type { BudgetName } from './budgets.ts';
import type { ErrorCode } from './errors.ts';

type Schema = z.ZodMiniType;
type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Anything that a query string can hold; repeated names give a list. */
export type RawQuery = { readonly [name: string]: unknown };

/** One call, agreed on by server and web: everything about it that both must know. */
export interface Endpoint {
  readonly method: HttpMethod;
  /** Path parameters are written `:name`, and each has an entry in `params`. */
  readonly path: `/api/${string}`;
  readonly summary: string;
  /** Signed in unless it says public, so that forgetting it closes the door instead of opening it. */
  readonly auth?: 'session' | 'public';
  /** Read the session from the database, never from the cache: for calls that must not outlive a revocation. */
  readonly isSensitive?: boolean;
  /** A suspended account may still make this call. */
  readonly isOpenToSuspended?: boolean;
  readonly params?: Schema;
  readonly query?: Schema;
  readonly body?: Schema;
  /** Sentence shown when the input does not fit, where the specification has one. */
  readonly invalidMessage?: string;
  /** An allow-list: what is not named here does not leave the server. */
  readonly response: Schema;
  readonly status?: 200 | 201;
  /** Errors of its own, beyond those that any call can give. */
  readonly errors?: readonly ErrorCode[];
  /** Budgets of the caller that this call draws on, beyond the general one. */
  readonly rate?: readonly BudgetName[];
  /** How much it draws on one of them, where that is not 1. Told by the query as it came, before anything is parsed. */
  readonly cost?: { readonly [Name in BudgetName]?: (query: RawQuery) => number };
  readonly maxBodyBytes?: number;
  /** Takes an `Idempotency-Key`: sent again with the same key, it answers as it did and does nothing twice. */
  readonly isIdempotent?: boolean;
}

/** Keeps the literal types of a declaration, so that handlers and clients are typed by it. */
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
