import * as auth from './auth.ts';
import * as choices from './choices.ts';
import * as comments from './comments.ts';
import type { Endpoint } from './endpoint.ts';
import * as grievance from './grievance.ts';
import * as heard from './heard.ts';
import * as inbox from './inbox.ts';
import * as ledger from './ledger.ts';
import * as listening from './listening.ts';
import * as live from './live.ts';
import * as matches from './matches.ts';
import * as privacy from './privacy.ts';
import * as profiles from './profiles.ts';
import * as recovery from './recovery.ts';
import * as reports from './reports.ts';
import * as sessions from './sessions.ts';
import * as vents from './vents.ts';

export * from './auth.ts';
export * from './budgets.ts';
export * from './choices.ts';
export * from './comments.ts';
export * from './emotions.ts';
export * from './endpoint.ts';
export * from './errors.ts';
export * from './forms.ts';
export * from './grievance.ts';
export * from './heard.ts';
export * from './inbox.ts';
export * from './ledger.ts';
export * from './limits.ts';
export * from './listening.ts';
export * from './live.ts';
export * from './matches.ts';
export * from './notice.ts';
export * from './padding.ts';
export * from './privacy.ts';
export * from './profiles.ts';
export * from './recovery.ts';
export * from './reports.ts';
export * from './sessions.ts';
export * from './text.ts';
export * from './time.ts';
export * from './vents.ts';
export * from './words.ts';
export * from './proof-of-work.ts';

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value;
}

/** All API calls. A test compares this table with the registered routes. */
export const endpoints: readonly Endpoint[] = [
  auth,
  sessions,
  recovery,
  profiles,
  privacy,
  vents,
  comments,
  listening,
  choices,
  reports,
  matches,
  inbox,
  live,
  ledger,
  heard,
  grievance,
].flatMap((feature) => Object.values(feature).filter(isEndpoint));
