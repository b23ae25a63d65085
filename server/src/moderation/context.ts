import type { getLedger, ResponseOf, Sanction } from '@unsaid/contract';
import type { ModerationBase } from '../kernel/base.ts';
import type { Subjects } from '../kernel/subjects.ts';
import type { Access } from '../platform/http/access.ts';
import type { LocalCache } from '../platform/local-cache.ts';
import type { CaseBox } from './case-box.ts';
import type { Passkeys } from './moderators/passkeys.ts';
import type { ModerationPorts } from './ports.ts';
import type { ReportOrigins } from './reports/report-origins.ts';

/** A sanction that is in force or has yet to start. In milliseconds since 1970. */
export interface CachedSanction {
  readonly sanction: Exclude<Sanction, 'none'>;
  readonly startsAt: number;
  readonly endsAt: number;
}

/** Without ports: sign-in and every call ask for somebody's standing before the rest of moderation can be built. */
export interface ModerationCore extends ModerationBase {
  readonly subjects: Subjects;
  readonly caseBox: CaseBox;
  readonly sanctionsCache: LocalCache<readonly CachedSanction[]>;
}

export type Ledger = Omit<ResponseOf<typeof getLedger>, 'success'>;

export interface ModerationContext extends ModerationCore {
  readonly ports: ModerationPorts;
  readonly origins: ReportOrigins;
  /** Read once for many. */
  readonly kept: {
    ledger: { readonly at: number; readonly value: Promise<Ledger> } | null;
    brokenAudit: { readonly at: number; readonly seq: bigint | null } | null;
  };
}

/** Of the process that serves the console. Only it has the library of passkeys. */
export interface ConsoleContext extends ModerationBase {
  readonly origin: URL;
  readonly passkeys: Passkeys;
  addressKey: Access['addressKey'];
}
