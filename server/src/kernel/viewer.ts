import type { UserPrincipal } from '../platform/http/authorize.ts';
import { bindFor } from '../platform/http/bind.ts';
import type { Person } from './person-keys.ts';

/** The signed-in user who makes a request. */
export interface Viewer extends UserPrincipal {
  readonly userId: bigint;
  readonly sessionId: bigint;
  readonly tokenKey: Buffer;
  /** Their keys on the content side. */
  readonly person: Person;
}

/** Binds an endpoint of the contract to its handler; a route file is a list of these. */
export const bind = bindFor<Viewer>();
