import { createAddedLayers } from '../platform/crypto/layers.ts';
import { createRowSeals } from '../platform/crypto/row-seals.ts';
import type { Metrics } from '../platform/metrics.ts';
import {
  bytesOf,
  createResealer,
  textOf,
  type KeyChange,
  type RekeyedSchema,
  type Row,
} from '../platform/rekey/rekeyed-table.ts';
import type { LayeredColumn } from '../platform/crypto/key-labels.ts';

/** What replacing a leaked key does to moderation. Moderators sign in again, and links that are open become void. */
export function rekeyedModeration(change: KeyChange, metrics: Metrics): RekeyedSchema {
  const { before, after } = change;
  const layers = createAddedLayers(before, after);
  const [was, is] = [createRowSeals(before, metrics), createRowSeals(after, metrics)];
  const sealers = {
    sealed_item: createResealer(change, 'moderation-item/1'),
    sealed_author: createResealer(change, 'moderation-author/1'),
    sealed_note: createResealer(change, 'moderation-note/1'),
    sealed_appeal: createResealer(change, 'moderation-appeal/1'),
  };
  const sealDetails = createResealer(change, 'moderation-details/1');
  const sealNotice = createResealer(change, 'moderation-notice/1');
  const withLayer = (column: LayeredColumn, value: Buffer) => layers.addToBlocks(column, value);
  const subjectKeys = (row: Row) => {
    const key = bytesOf(row, 'subject_key');
    return [key, withLayer('moderation.cases.subject_key', key)] as const;
  };

  function rekeyModerator(row: Row): Row {
    const until = row['until'] ? new Date(textOf(row, 'until')) : null;
    const who = [
      Number(textOf(row, 'id')),
      row['alias'] ?? null,
      row['role'] ?? null,
      row['disabled_on'] ?? null,
    ];
    const seal = Buffer.isBuffer(row['seal']) ? row['seal'] : null;
    const isSealed = was.fits('moderator', seal, ...who, row['enrol_key'] ?? null, until);
    return {
      enrol_key: null,
      enrol_until: null,
      seal: isSealed ? is.seal('moderator', ...who, null, null) : seal,
    };
  }

  return {
    ended: ['moderation.sessions'],
    tables: [
      {
        name: 'moderation.cases',
        key: ['id'],
        changes: ['subject_key', ...Object.keys(sealers)],
        rekey(row) {
          const keys = subjectKeys(row);
          const sealed = Object.entries(sealers).map(
            ([column, sealer]) => [column, sealer(row[column] ?? null, keys)] as const,
          );
          return { subject_key: keys[1], ...Object.fromEntries(sealed) };
        },
      },
      {
        name: 'moderation.reports',
        key: ['id'],
        reads: { subject_key: '(select subject_key from moderation.cases as c where c.id = t.case_id)' },
        changes: ['reporter_key', 'slot_key', 'sealed_details'],
        rekey: (row) => ({
          reporter_key: withLayer('moderation.reports.reporter_key', bytesOf(row, 'reporter_key')),
          slot_key: Buffer.isBuffer(row['slot_key'])
            ? withLayer('moderation.reports.slot_key', row['slot_key'])
            : null,
          sealed_details: sealDetails(row['sealed_details'] ?? null, subjectKeys(row)),
        }),
      },
      {
        name: 'moderation.notices',
        key: ['id'],
        changes: ['slot_key', 'sealed'],
        rekey(row) {
          const slot = bytesOf(row, 'slot_key');
          const layered = withLayer('moderation.notices.slot_key', slot);
          return { slot_key: layered, sealed: sealNotice(row['sealed'] ?? null, [slot, layered]) };
        },
      },
      {
        name: 'moderation.taken_slots',
        key: ['taken_key'],
        changes: ['taken_key'],
        rekey: (row) => ({
          taken_key: withLayer('moderation.taken_slots.taken_key', bytesOf(row, 'taken_key')),
        }),
      },
      {
        name: 'moderation.moderators',
        key: ['id'],
        reads: {
          alias: 't.alias',
          role: 't.role',
          disabled_on: 't.disabled_on::text',
          until: `to_char(t.enrol_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
        },
        changes: ['enrol_key', 'enrol_until', 'seal'],
        rekey: rekeyModerator,
      },
      {
        name: 'moderation.passkeys',
        key: ['credential_id'],
        reads: { moderator_id: 't.moderator_id::text', public_key: 't.public_key' },
        changes: ['seal'],
        rekey(row) {
          const seal = bytesOf(row, 'seal');
          const parts = [
            bytesOf(row, 'credential_id'),
            Number(textOf(row, 'moderator_id')),
            bytesOf(row, 'public_key'),
          ] as const;
          return { seal: was.fits('passkey', seal, ...parts) ? is.seal('passkey', ...parts) : seal };
        },
      },
    ],
  };
}
