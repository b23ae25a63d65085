import type { IdentityDb } from '../../platform/db.ts';
import { preparedSql } from '../../platform/prepared-sql.ts';
import type { NameRow } from './profiles.queries.ts';

/** Names and avatars for named comments, including those of departed people whose comments are not removed yet. */
export async function findNamesOfSpeakers(db: IdentityDb, speakerIds: readonly Buffer[]) {
  if (speakerIds.length === 0) return [];
  return preparedSql<NameRow & { speakerId: Buffer }>`
    select speaker_id, username, avatar_seed from identity.users where speaker_id = any(${speakerIds}::bytea[])
    union all
    select speaker_id, username, avatar_seed from identity.departed where speaker_id = any(${speakerIds}::bytea[])`.rows(
    db,
  );
}
