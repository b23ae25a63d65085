/**
 * Every use of a master key, and what replacing a leaked one does to what it made (docs/adr/0002). A use that is not in
 * this list does not compile, so a new one needs a decision first; `leaked-key.test.ts` compares the columns with the
 * catalogue of all columns.
 */
export type LeakDecision =
  /** Made by the newest key for minutes. A retired key opens none of it. */
  | { readonly leak: 'short-lived' }
  /** Names and values in Redis, which is emptied. */
  | { readonly leak: 'in Redis' }
  /** In no row: ids that clients see, locks, cookies, names of budgets. Made with the new key from then on. */
  | { readonly leak: 'not stored' }
  /** The rows are deleted. */
  | { readonly leak: 'ended'; readonly columns: readonly Column[] }
  /** Opened with the old key and sealed with the new one, or computed again from the row. */
  | { readonly leak: 'sealed again'; readonly columns: readonly Column[] }
  /**
   * Found by value, and made from something that no row has: a token, a number, a key of somebody who left. The value
   * is encrypted or hashed once more, with a key of its column. Without that key the old one finds nothing.
   */
  | { readonly leak: 'layered'; readonly column: Column };

/** As schema.table.column. */
export type Column = `${string}.${string}.${string}`;

const shortLived = { leak: 'short-lived' } as const;
const inRedis = { leak: 'in Redis' } as const;
const notStored = { leak: 'not stored' } as const;
const layered = <C extends Column>(column: C) => ({ leak: 'layered', column }) as const;
const sealedAgain = (...columns: readonly Column[]) => ({ leak: 'sealed again', columns }) as const;
const ended = (...columns: readonly Column[]) => ({ leak: 'ended', columns }) as const;

export const keyLabels = {
  'otp/1': shortLived,
  'challenge/1': shortLived,
  'work/1': shortLived,
  'join-proof/1': shortLived,
  'recovery-offer/1': shortLived,
  'inbox/1': shortLived,
  'live-ticket/1': shortLived,
  'live-counted/1': shortLived,
  'read-pin/1': shortLived,
  'redis-value/1': shortLived,

  'redis/1': inRedis,
  'redis-counter/1': inRedis,
  'visit/1': inRedis,
  'ip/1': inRedis,
  'person-budget/1': inRedis,
  'person-standing/1': inRedis,

  'id-user/1': notStored,
  'id-session/1': notStored,
  'id-vent/1': notStored,
  'id-comment/2': notStored,
  'id-alias/1': notStored,
  'id-match/1': notStored,
  'id-peer/1': notStored,
  'id-notice/1': notStored,
  'pair-lock/1': notStored,
  'person-inbox/1': notStored,
  'person-report-lock/1': notStored,
  'person-held-taken/1': notStored,

  // A number cannot be computed again. Its entry is wrapped, which is a layer with a list of its own.
  'phone-salt/1': sealedAgain('identity.phone_index.idx', 'identity.held_numbers.idx'),
  'phone-index/1': sealedAgain('identity.phone_index.idx', 'identity.held_numbers.idx'),
  'phone-wrap/1': sealedAgain('identity.phone_index.idx', 'identity.held_numbers.idx'),
  'device/1': layered('identity.devices.device_key'),
  'choices/1': sealedAgain('identity.choices.sealed'),
  'row-seal-user/1': sealedAgain('identity.users.seal'),
  'row-seal-number/1': sealedAgain('identity.phone_index.seal'),
  'row-seal-recovery/1': sealedAgain('identity.recovery_codes.seal'),
  'row-lookup-recovery/1': layered('identity.recovery_codes.code_key'),
  'row-facts-account/1': sealedAgain('identity.users.facts'),
  'row-facts-recovery/1': sealedAgain('identity.recovery_codes.facts'),
  // Also those that whoever has the key may have written.
  'row-lookup-session/1': ended('identity.sessions.token_key'),
  'row-seal-session/1': ended('identity.sessions.seal'),
  'row-facts-session/1': ended('identity.sessions.facts'),

  'speaker-place/1': sealedAgain('content.vents.speaker', 'content.comments.speaker'),
  'speaker-vent/1': sealedAgain('content.vents.speaker'),
  'speaker-named/1': sealedAgain('content.comments.speaker'),
  'speaker-anonymous/1': sealedAgain('content.comments.speaker'),
  'speaker-author/1': sealedAgain('content.comments.speaker'),
  'person-vent-slot/1': layered('content.vents.slot_key'),
  'person-comment-slot/1': layered('content.comments.slot_key'),
  'person-vent-taken/1': layered('content.taken_slots.taken_key'),
  'person-comment-taken/1': layered('content.taken_slots.taken_key'),
  'person-held-slot/1': layered('content.held_vents.slot_key'),
  'person-reaction/1': layered('content.reactions.reactor_key'),
  'person-leaving/1': layered('content.leavings.ticket_key'),
  'person-idempotency/1': layered('content.idempotency.key'),
  'result/1': sealedAgain('content.idempotency.result'),
  'held-vent/1': sealedAgain('content.held_vents.sealed'),
  'leaving/1': sealedAgain('content.leavings.ticket'),
  'thanks/1': sealedAgain('content.thanks.thank_key'),
  'thanks-delay/1': sealedAgain('content.thanks.shown_from'),
  'shut-out/2': layered('content.shut_outs.voice_key'),

  'pair/1': sealedAgain('matching.pairs.a_key', 'matching.pairs.b_key'),
  'match-pair/1': sealedAgain('matching.pairs.details'),

  'moderation-subject/1': layered('moderation.cases.subject_key'),
  'moderation-item/1': sealedAgain('moderation.cases.sealed_item'),
  'moderation-author/1': sealedAgain('moderation.cases.sealed_author'),
  'moderation-note/1': sealedAgain('moderation.cases.sealed_note'),
  'moderation-appeal/1': sealedAgain('moderation.cases.sealed_appeal'),
  'moderation-details/1': sealedAgain('moderation.reports.sealed_details'),
  'moderation-notice/1': sealedAgain('moderation.notices.sealed'),
  'person-reporter/1': layered('moderation.reports.reporter_key'),
  'person-report-slot/1': layered('moderation.reports.slot_key'),
  'person-notice-slot/1': layered('moderation.notices.slot_key'),
  'person-report-taken/1': layered('moderation.taken_slots.taken_key'),
  'person-notice-taken/1': layered('moderation.taken_slots.taken_key'),
  'row-seal-moderator/1': sealedAgain('moderation.moderators.seal'),
  'row-seal-passkey/1': sealedAgain('moderation.passkeys.seal'),
  'row-lookup-console/1': ended('moderation.sessions.token_key'),
  'row-seal-console/1': ended('moderation.sessions.seal'),
  // A link that is open becomes void; a new one is made with `moderators enrol`.
  'row-lookup-enrol/1': ended('moderation.moderators.enrol_key'),
} as const satisfies Readonly<Record<string, LeakDecision>>;

/** The HKDF info. Each use has a label of its own, so that no key serves two purposes. */
export type KeyLabel = keyof typeof keyLabels;

type LayeredLabel = {
  [L in KeyLabel]: (typeof keyLabels)[L] extends { readonly leak: 'layered' } ? L : never;
}[KeyLabel];
/** The columns whose values get a layer. */
export type LayeredColumn = (typeof keyLabels)[LayeredLabel]['column'];

/** The column whose layers a value made with this label gets. Null where it gets none. */
export function layeredColumnOf(label: KeyLabel): LayeredColumn | null {
  const decision: LeakDecision = keyLabels[label];
  return decision.leak === 'layered' ? (decision.column as LayeredColumn) : null;
}
