import type { Clock } from '../platform/clock.ts';
import type { Keys } from '../platform/crypto/keys.ts';
import type { RowSeals } from '../platform/crypto/row-seals.ts';
import type { RedisCrypto } from '../platform/crypto/redis-crypto.ts';
import type { ContentDb, IdentityDb, MatchingDb, ModerationDb } from '../platform/db.ts';
import type { Binding } from '../platform/http/bind.ts';
import type { Job } from '../platform/job.ts';
import type { Limiter } from '../platform/limiter.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { RedisStore } from '../platform/redis.ts';
import type { Persons } from './person-keys.ts';
import type { PrivacyPart } from './privacy-registry.ts';
import type { PublicIds } from './public-ids.ts';
import type { Speakers } from './speakers.ts';

/** What every feature is built from, once in a process. It has no database: a schema gets its own pool and no other. */
export interface Base {
  readonly clock: Clock;
  /** In [0, 1), secure: for what is drawn at random. Tests repeat it. */
  random(): number;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly keys: Keys;
  readonly publicIds: PublicIds;
  readonly persons: Persons;
  readonly speakers: Speakers;
  readonly redisCrypto: RedisCrypto;
  readonly seals: RowSeals;
  readonly redis: RedisStore;
  readonly limiter: Limiter;
  /** Work that continues after the response; closing waits for it. */
  runInBackground(work: Promise<void>): void;
}

export type IdentityBase = Base & { readonly db: IdentityDb };
export type ContentBase = Base & { readonly db: ContentDb };
export type MatchingBase = Base & { readonly db: MatchingDb };
export type ModerationBase = Base & { readonly db: ModerationDb };

/** What a builder returns beside its services. */
export interface Feature {
  readonly bindings: readonly Binding[];
  readonly jobs: readonly Job[];
  readonly privacy: readonly PrivacyPart[];
}
