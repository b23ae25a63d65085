import type { Schema } from '../../db/schemas.ts';

/**
 * Every use of a key, by the schema that stores the key (docs/keys.md). Each has a key of its own, so that none serves two
 * purposes. What has no schema, such as names in Redis, is with identity: every process has all four pools.
 */

/** What says by itself whether a key opens it: by a tag, a check or a MAC. A new key closes, and the older ones still open. */
const turning = {
  identity: [
    'otp/1',
    'challenge/1',
    'work/1',
    'join-proof/1',
    'recovery-offer/1',
    'inbox/1',
    'live-ticket/1',
    'live-counted/1',
    'read-pin/1',
    'redis-value/1',
    'choices/1',
    'row-seal-user/1',
    'row-seal-number/1',
    'row-seal-recovery/1',
    'row-seal-session/1',
    'row-facts-account/1',
    'row-facts-recovery/1',
    'row-facts-session/1',
  ],
  content: [
    'speaker-place/1',
    'speaker-vent/1',
    'speaker-named/1',
    'speaker-anonymous/1',
    'speaker-author/1',
    'held-vent/1',
    'leaving/1',
  ],
  matching: ['match-pair/1'],
  moderation: [
    'moderation-item/1',
    'moderation-author/1',
    'moderation-note/1',
    'moderation-appeal/1',
    'moderation-details/1',
    'moderation-notice/1',
    'row-seal-moderator/1',
    'row-seal-passkey/1',
    'row-seal-console/1',
  ],
} as const satisfies Record<Schema, readonly string[]>;

/** What is found by value or seen by clients: with another key the same thing would be another one. */
const lasting = {
  identity: [
    'redis/1',
    'redis-counter/1',
    'visit/1',
    'ip/1',
    'id-user/1',
    'id-session/1',
    'token-check/1',
    'device/1',
    'phone-salt/1',
    'phone-index/1',
    'phone-wrap/1',
    'row-lookup-session/1',
    'row-lookup-recovery/1',
    'person-budget/1',
    'person-standing/1',
    'person-inbox/1',
    'person-report-lock/1',
  ],
  content: [
    'id-vent/1',
    'id-comment/2',
    'id-alias/1',
    'result/1',
    'person-vent-slot/1',
    'person-vent-taken/1',
    'person-comment-slot/1',
    'person-comment-taken/1',
    'person-held-slot/1',
    'person-held-taken/1',
    'person-reaction/1',
    'person-leaving/1',
    'person-idempotency/1',
    'thanks/1',
    'thanks-delay/1',
    'shut-out/2',
  ],
  matching: ['id-match/1', 'id-peer/1', 'pair/1', 'pair-lock/1'],
  moderation: [
    'id-notice/1',
    'moderation-subject/1',
    'person-reporter/1',
    'person-report-slot/1',
    'person-report-taken/1',
    'person-notice-slot/1',
    'person-notice-taken/1',
    'row-lookup-console/1',
    'row-lookup-enrol/1',
  ],
} as const satisfies Record<Schema, readonly string[]>;

export type TurningLabel = (typeof turning)[Schema][number];
export type LastingLabel = (typeof lasting)[Schema][number];
export type KeyLabel = TurningLabel | LastingLabel;

export const turningLabels: Readonly<Record<Schema, readonly KeyLabel[]>> = turning;
export const labelsOf = (schema: Schema): readonly KeyLabel[] => [...turning[schema], ...lasting[schema]];
