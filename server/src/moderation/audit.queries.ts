import { sql } from 'kysely';
import type { ModerationDb } from '../platform/db.ts';

/** Newest first. */
export async function listAudit(
  db: ModerationDb,
  {
    before,
    caseId,
    limit,
  }: { readonly before: bigint | null; readonly caseId: bigint | null; readonly limit: number },
) {
  let query = db
    .selectFrom('moderation.audit')
    .select(['seq', 'at', 'actor', 'action', 'caseId', 'detail', 'hash'])
    .orderBy('seq', 'desc')
    .limit(limit);
  if (before !== null) query = query.where('seq', '<', before);
  if (caseId !== null) query = query.where('caseId', '=', caseId);
  return query.execute();
}

/** One statement that reads the whole log would run into the timeout of the login. */
const checkedAtOnce = 5000;

export async function firstBrokenAudit(db: ModerationDb): Promise<bigint | null> {
  let head: { readonly seq: bigint; readonly hash: Buffer } = { seq: 0n, hash: Buffer.alloc(0) };
  for (;;) {
    const { rows } = await sql<{ seq: bigint; hash: Buffer; isBroken: boolean }>`
      select seq, hash, hash <> made or prev_hash <> before or seq <> place as is_broken
        from (select a.seq, a.hash, moderation.audit_hash(a) as made, a.prev_hash,
                     coalesce(lag(a.hash) over (order by a.seq), ${head.hash}) as before,
                     ${head.seq}::bigint + row_number() over (order by a.seq) as place
                from moderation.audit as a where a.seq > ${head.seq} order by a.seq limit ${checkedAtOnce}) as entry
       order by seq`.execute(db);
    const broken = rows.find(({ isBroken }) => isBroken);
    if (broken) return broken.seq;
    head = rows.at(-1) ?? head;
    if (rows.length < checkedAtOnce) return null;
  }
}

/** The last entry, or the last one before a time. */
export async function findAuditHead(db: ModerationDb, before: Date | null) {
  let query = db.selectFrom('moderation.audit').select(['seq', 'hash']).orderBy('seq', 'desc').limit(1);
  if (before !== null) query = query.where('at', '<', before);
  return (await query.executeTakeFirst()) ?? null;
}
