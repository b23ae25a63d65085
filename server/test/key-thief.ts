import type pg from 'pg';
import { createVent } from '@unsaid/contract';
import { createShutOuts } from '../src/content/comments/shut-outs.ts';
import { createThanksRules } from '../src/content/comments/thanks.ts';
import { createTicketCipher } from '../src/content/leaving/ticket.ts';
import { deviceKey } from '../src/identity/accounts/devices.ts';
import { createPhoneIndex } from '../src/identity/accounts/phone-index.ts';
import { boundTo } from '../src/identity/choices/choices-box.ts';
import { createPersons, noticeNumbers } from '../src/kernel/person-keys.ts';
import { createItemCodec } from '../src/kernel/public-ids.ts';
import { createSpeakers, ventPlace, type Voice } from '../src/kernel/speakers.ts';
import { createSubjects } from '../src/kernel/subjects.ts';
import { createPairCipher } from '../src/matching/pair-details.ts';
import { createPairKeys } from '../src/matching/pair-keys.ts';
import { createCaseBox } from '../src/moderation/case-box.ts';
import { createPermanentAead } from '../src/platform/crypto/aead.ts';
import type { Column } from '../src/platform/crypto/key-labels.ts';
import type { Keys } from '../src/platform/crypto/keys.ts';
import { createLayers } from '../src/platform/crypto/layers.ts';
import { createRowSeals } from '../src/platform/crypto/row-seals.ts';
import { createMetrics } from '../src/platform/metrics.ts';
import { openPool } from './db.ts';

/** What a thief may know beside a dump and keys: all that people typed or that their browsers hold. */
export interface Known {
  readonly phones: readonly string[];
  readonly tokens: readonly string[];
  readonly deviceIds: readonly string[];
  readonly recoveryCodes: readonly string[];
  readonly idempotencyKeys: readonly string[];
  readonly consoleTokens: readonly string[];
  readonly enrolTokens: readonly string[];
  /** Also of people who left, from an older dump. */
  readonly people: readonly { readonly authorSeed: Buffer; readonly speakerId: Buffer }[];
  readonly phoneCost: number;
}

type Row = Readonly<Record<string, unknown>>;
const bytes = (value: unknown) => value as Buffer;
const numbers = Array.from({ length: 40 }, (_, n) => n);
const hexOf = (value: Buffer) => value.toString('hex');

/**
 * Somebody with keys and a dump tries to open or to compute every stored value that a master key made. Returns how many
 * values of each column they can read.
 */
export async function readWith(
  keys: Keys,
  databaseUrl: string,
  known: Known,
): Promise<ReadonlyMap<Column, number>> {
  const pool = openPool(databaseUrl, 1);
  try {
    return await readAll(keys, pool, known);
  } finally {
    await pool.end();
  }
}

async function readAll(keys: Keys, pool: pg.Pool, known: Known): Promise<ReadonlyMap<Column, number>> {
  const found = new Map<Column, number>();
  const count = (column: Column, isRead: boolean) => {
    if (isRead) found.set(column, (found.get(column) ?? 0) + 1);
  };
  const table = async (name: string, also = ''): Promise<Row[]> =>
    (await pool.query<Row>(`select t.*${also} from ${name} as t`)).rows;
  /** Values that equal one that can be computed. */
  const match = (rows: readonly Row[], column: Column, computed: readonly Buffer[]) => {
    const all = new Set(computed.map(hexOf));
    const name = column.split('.')[2] as string;
    for (const row of rows) count(column, Buffer.isBuffer(row[name]) && all.has(hexOf(bytes(row[name]))));
  };
  const seals = createRowSeals(keys, createMetrics());
  const layers = createLayers(keys);
  const persons = known.people.map(createPersons(keys));

  const users = await table('identity.users');
  for (const row of users) {
    const id = BigInt(String(row['id']));
    const parts = [id, bytes(row['author_seed']), bytes(row['speaker_id'])] as const;
    count('identity.users.seal', seals.fits('user', bytes(row['seal']), ...parts));
    count('identity.users.facts', seals.decryptFacts('account', id, bytes(row['facts'])) !== null);
  }
  const sessions = await table('identity.sessions');
  match(
    sessions,
    'identity.sessions.token_key',
    known.tokens.map((token) => seals.lookupKey('session', token)),
  );
  for (const row of sessions) {
    const [userId, id] = [BigInt(String(row['user_id'])), BigInt(String(row['id']))];
    const isSealed = seals.fits('session', bytes(row['seal']), bytes(row['token_key']), userId, id);
    count('identity.sessions.seal', isSealed);
    count('identity.sessions.facts', seals.decryptFacts('session', id, bytes(row['facts'])) !== null);
  }
  const phones = createPhoneIndex({ keys, seals }, known.phoneCost);
  const entries = (await Promise.all(known.phones.map(phones.lookupCandidates))).flat();
  const idxs = entries.map(({ idx }) => idx);
  const index = await table('identity.phone_index');
  match(index, 'identity.phone_index.idx', idxs);
  match(await table('identity.held_numbers'), 'identity.held_numbers.idx', idxs);
  for (const row of index) {
    const entry = {
      keyId: Number(row['key_id']),
      wrappedBy: row['wrapped_by'] as number[],
      idx: bytes(row['idx']),
      userId: BigInt(String(row['user_id'])),
      seal: bytes(row['seal']),
    };
    count('identity.phone_index.seal', phones.isSealed(entry));
  }
  match(
    await table('identity.devices'),
    'identity.devices.device_key',
    known.deviceIds.flatMap((device) =>
      users.map((row) =>
        layers.addToHash(
          'identity.devices.device_key',
          deviceKey(keys.original('device/1'), device, BigInt(String(row['id']))),
        ),
      ),
    ),
  );
  const choices = createPermanentAead(keys, 'choices/1');
  for (const row of await table('identity.choices'))
    count(
      'identity.choices.sealed',
      choices.open(bytes(row['sealed']), boundTo(String(row['user_id']))) !== null,
    );
  const recovery = await table('identity.recovery_codes');
  match(recovery, 'identity.recovery_codes.code_key', known.recoveryCodes.map(seals.recoveryKey));
  for (const row of recovery) {
    const userId = BigInt(String(row['user_id']));
    const parts = [row['code_key'], row['replaced_key'], row['facts']].map(bytes);
    count('identity.recovery_codes.seal', seals.fits('recovery', bytes(row['seal']), ...parts, userId));
    count(
      'identity.recovery_codes.facts',
      seals.decryptFacts('recovery', userId, bytes(row['facts'])) !== null,
    );
  }

  const speakers = createSpeakers(keys);
  const vents = await table('content.vents');
  const ventIds = vents.map((row) => BigInt(String(row['id'])));
  for (const [n, row] of vents.entries()) {
    const author = { ...ventPlace(ventIds[n] as bigint), speaker: bytes(row['speaker']) };
    count('content.vents.speaker', speakers.open(author) !== null);
  }
  const comments = await table('content.comments');
  const placeOf = (row: Row) => ({ ventId: BigInt(String(row['vent_id'])), no: Number(row['no']) });
  for (const row of comments) {
    const author = { ...placeOf(row), voice: row['voice'] as Voice, speaker: bytes(row['speaker']) };
    count('content.comments.speaker', speakers.open(author) !== null);
  }
  const all = (derive: (person: (typeof persons)[number]) => Buffer[]) => persons.flatMap(derive);
  match(
    vents,
    'content.vents.slot_key',
    all((person) => person.slotKeys('vent', numbers)),
  );
  match(
    comments,
    'content.comments.slot_key',
    all((person) => person.slotKeys('comment', numbers)),
  );
  match(
    await table('content.taken_slots'),
    'content.taken_slots.taken_key',
    all((person) => [...person.takenKeys('vent', numbers), ...person.takenKeys('comment', numbers)]),
  );
  match(
    await table('content.reactions'),
    'content.reactions.reactor_key',
    all((person) => ventIds.flatMap((ventId) => person.reactorKeys(ventId, ['heart', 'hug', 'listen']))),
  );
  const idempotency = await table('content.idempotency');
  match(
    idempotency,
    'content.idempotency.key',
    all((person) => known.idempotencyKeys.map((key) => person.mark('idempotency', createVent.path, key))),
  );
  const results = createItemCodec(keys, 'result/1');
  for (const row of idempotency)
    count(
      'content.idempotency.result',
      ventIds.includes(results.decode(bytes(row['result']))?.ventId ?? -1n),
    );
  const held = await table('content.held_vents');
  match(
    held,
    'content.held_vents.slot_key',
    all((person) => person.slotKeys('held', numbers)),
  );
  const heldVents = createPermanentAead(keys, 'held-vent/1');
  for (const row of held)
    count('content.held_vents.sealed', heldVents.open(bytes(row['sealed']), bytes(row['slot_key'])) !== null);
  const leavings = await table('content.leavings');
  match(
    leavings,
    'content.leavings.ticket_key',
    all((person) => [person.leavingKey()]),
  );
  const tickets = createTicketCipher(keys);
  for (const row of leavings)
    count('content.leavings.ticket', tickets.open(bytes(row['ticket']), bytes(row['ticket_key'])) !== null);
  const thanks = createThanksRules(keys);
  match(
    await table('content.thanks'),
    'content.thanks.thank_key',
    comments.map((row) => thanks.keyOf(placeOf(row))),
  );
  const shutOuts = createShutOuts(keys);
  for (const row of await table('content.shut_outs'))
    count(
      'content.shut_outs.voice_key',
      known.people.some(({ speakerId }) =>
        (['named', 'anonymous'] as const).some((voice) =>
          shutOuts.isAmong([bytes(row['voice_key'])], BigInt(String(row['vent_id'])), voice, speakerId),
        ),
      ),
    );

  const [pairKeys, cipher] = [createPairKeys(keys), createPairCipher(keys)];
  const userIds = new Set(users.map((row) => String(row['id'])));
  for (const row of await table('matching.pairs', ', t.week::text as monday')) {
    for (const side of ['a_key', 'b_key'] as const)
      count(`matching.pairs.${side}`, userIds.has(String(pairKeys.decode(bytes(row[side])))));
    const columns = {
      aKey: bytes(row['a_key']),
      bKey: bytes(row['b_key']),
      isAskedByA: row['is_asked_by_a'] === true,
      week: String(row['monday']),
    };
    count('matching.pairs.details', cipher.tryOpen({ ...columns, details: bytes(row['details']) }) !== null);
  }

  const subjects = createSubjects(keys);
  const subjectKeys = [
    ...ventIds.map((ventId) => subjects.keyOf({ kind: 'vent', ventId })),
    ...comments.map((row) => subjects.keyOf({ kind: 'comment', ...placeOf(row) })),
  ];
  const box = createCaseBox(keys);
  const cases = await table('moderation.cases');
  match(cases, 'moderation.cases.subject_key', subjectKeys);
  for (const row of cases)
    for (const field of ['item', 'author', 'note', 'appeal'] as const) {
      const sealed = row[`sealed_${field}`];
      const isRead = Buffer.isBuffer(sealed) && box.open(field, bytes(row['subject_key']), sealed) !== null;
      count(`moderation.cases.sealed_${field}`, isRead);
    }
  const reports = await table(
    'moderation.reports',
    ', (select subject_key from moderation.cases where id = t.case_id) as subject_key',
  );
  match(
    reports,
    'moderation.reports.reporter_key',
    all((person) => subjectKeys.map((key) => person.reporterKeyOn(key))),
  );
  match(
    reports,
    'moderation.reports.slot_key',
    all((person) => person.slotKeys('report', numbers)),
  );
  for (const row of reports)
    count(
      'moderation.reports.sealed_details',
      Buffer.isBuffer(row['sealed_details']) &&
        box.open('details', bytes(row['subject_key']), row['sealed_details']) !== null,
    );
  const notices = await table('moderation.notices');
  match(
    notices,
    'moderation.notices.slot_key',
    all((person) => person.noticeSlots()),
  );
  for (const row of notices)
    count(
      'moderation.notices.sealed',
      box.open('notice', bytes(row['slot_key']), bytes(row['sealed'])) !== null,
    );
  match(
    await table('moderation.taken_slots'),
    'moderation.taken_slots.taken_key',
    all((person) => [
      ...person.takenKeys('report', numbers),
      ...person.takenKeys('notice', [...noticeNumbers]),
    ]),
  );
  const moderators = await table('moderation.moderators', ', t.disabled_on::text as disabled');
  match(
    moderators,
    'moderation.moderators.enrol_key',
    known.enrolTokens.map((token) => seals.lookupKey('enrol', token)),
  );
  for (const row of moderators) {
    const parts = [
      row['id'],
      row['alias'],
      row['role'],
      row['disabled'],
      row['enrol_key'],
      row['enrol_until'],
    ];
    count('moderation.moderators.seal', seals.fits('moderator', bytes(row['seal']), ...(parts as never[])));
  }
  for (const row of await table('moderation.passkeys')) {
    const parts = [
      bytes(row['credential_id']),
      Number(row['moderator_id']),
      bytes(row['public_key']),
    ] as const;
    count('moderation.passkeys.seal', seals.fits('passkey', bytes(row['seal']), ...parts));
  }
  const consoles = await table(
    'moderation.sessions',
    ', (select role from moderation.moderators where id = t.moderator_id) as role',
  );
  match(
    consoles,
    'moderation.sessions.token_key',
    known.consoleTokens.map((token) => seals.lookupKey('console', token)),
  );
  for (const row of consoles) {
    const parts = [row['token_key'], row['moderator_id'], row['role'], row['proven_at'], row['ends_at']];
    count('moderation.sessions.seal', seals.fits('console', bytes(row['seal']), ...(parts as never[])));
  }
  return found;
}
