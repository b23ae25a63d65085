import { dayMs } from '@unsaid/contract';

/** Expiry of abandoned drafts: the phone may be shared. */
export const draftLifetimeMs = 30 * dayMs;
