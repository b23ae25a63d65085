import type { IdentityBase } from '../kernel/base.ts';
import type { Hiding } from '../kernel/hiding.ts';
import type { Person } from '../kernel/person-keys.ts';
import type { StandingService } from '../kernel/standing.ts';
import type { Viewer } from '../kernel/viewer.ts';
import type { LocalCache } from '../platform/local-cache.ts';
import type { SmsDelivery } from '../platform/sms/delivery.ts';
import type { PhoneIndex } from './accounts/phone-index.ts';
import type { SmsCeiling } from './otp/code-budgets.ts';
import type { CodeLimiter } from './otp/code-limiter.ts';
import type { SpendingAlerts } from './otp/otp.metrics.ts';
import type { OtpStore } from './otp/otp.store.ts';
import type { ConversionStore } from './otp/sms-conversion.store.ts';
import type { SessionEnds } from './sessions/session-ends.ts';
import type { VisitStore } from './sessions/visits.store.ts';

/** What every function of the room gets. In a transaction `db` is that transaction. */
export interface IdentityContext extends IdentityBase {
  readonly ports: IdentityPorts;
  readonly settings: IdentitySettings;
  readonly phoneIndex: PhoneIndex;
  readonly codeLimiter: CodeLimiter;
  readonly challenges: OtpStore;
  /** Null where messages cost nothing. */
  readonly conversion: ConversionStore | null;
  readonly spendingAlerts: SpendingAlerts;
  readonly sessionCache: LocalCache<ResolvedSession | null>;
  readonly sessionEnds: SessionEnds;
  readonly visits: VisitStore;
  /** An object, because a cache does not keep null. */
  readonly hidingCache: LocalCache<{ readonly hiding: Hiding | null }>;
  /** Batches concurrent readers into one statement. Undefined without choices. */
  readSealedChoices(userId: bigint): Promise<Buffer | undefined>;
}

export interface IdentityPorts {
  readonly sms: SmsDelivery;
  isSignUpOpen(): boolean;
  readonly standing: StandingService;
  /** Cached pages contain names and avatars. */
  onNamesChanged(): Promise<void>;
  /** A person wants no comments any more: those of their vents that others have yet to see are closed too. */
  onCommentsClosed(person: Person): Promise<void>;
}

/** As in the configuration. */
export interface IdentitySettings {
  readonly phoneIndexCost: number;
  readonly smsCountries: readonly string[] | 'all';
  readonly testNumbers: ReadonlyMap<string, string>;
  readonly testNumbersUntil: number;
  readonly isConversionWatched: boolean;
  readonly limitsScale: number;
  readonly smsCeiling: SmsCeiling;
  readonly publicOrigin: URL;
}

/** What a token resolves to, without what may change from call to call. */
export interface ResolvedSession {
  readonly viewer: Omit<Viewer, 'isSuspended' | 'isLimited'>;
  readonly expiresAt: number;
}
