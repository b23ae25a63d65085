import { createRowSeals } from '../platform/crypto/row-seals.ts';
import { createAddedLayers } from '../platform/crypto/layers.ts';
import type { Clock } from '../platform/clock.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { RedisStore } from '../platform/redis.ts';
import {
  bytesOf,
  createResealer,
  textOf,
  type KeyChange,
  type RekeyedSchema,
  type Row,
} from '../platform/rekey/rekeyed-table.ts';
import { createPhoneIndex } from './accounts/phone-index.ts';
import { boundTo } from './choices/choices-box.ts';
import { createVisitCodec } from './sessions/visit-codec.ts';
import { createVisitStore, readVisitKey } from './sessions/visits.store.ts';

/** What replacing a leaked key does to identity. Sessions stay until everything else is done, and are then ended. */
export function rekeyedIdentity(change: KeyChange, metrics: Metrics): RekeyedSchema {
  const { before, after } = change;
  const [was, is] = [createRowSeals(before, metrics), createRowSeals(after, metrics)];
  const layers = createAddedLayers(before, after);
  const sealChoices = createResealer(change, 'choices/1');
  const newest = after.current('phone-index/1').id;
  const [numbersWere, numbers] = [
    createPhoneIndex({ keys: before, seals: was }, 0),
    createPhoneIndex({ keys: after, seals: is }, 0),
  ];

  /** A seal that does not fit stays: a new one would make a forged row genuine. */
  function rekeyUser(row: Row): Row {
    const [id, author, speaker] = [BigInt(textOf(row, 'id')), row['author_seed'], row['speaker_id']] as const;
    const parts = [id, author ?? null, speaker ?? null] as const;
    const facts = was.decryptFacts('account', id, bytesOf(row, 'facts'));
    return {
      seal: was.fits('user', bytesOf(row, 'seal'), ...parts)
        ? is.seal('user', ...parts)
        : bytesOf(row, 'seal'),
      facts: facts ? is.encryptFacts('account', id, facts) : bytesOf(row, 'facts'),
    };
  }

  function rekeyRecovery(row: Row): Row {
    const userId = BigInt(textOf(row, 'user_id'));
    const [code, replaced] = [bytesOf(row, 'code_key'), bytesOf(row, 'replaced_key')];
    const [seal, sealed] = [bytesOf(row, 'seal'), bytesOf(row, 'facts')];
    const column = 'identity.recovery_codes.code_key';
    const keys = {
      code_key: layers.addToHash(column, code),
      replaced_key: layers.addToHash(column, replaced),
    };
    const facts = was.fits('recovery', seal, code, replaced, sealed, userId)
      ? was.decryptFacts('recovery', userId, sealed)
      : null;
    if (!facts) return { ...keys, seal, facts: sealed };
    const encrypted = is.encryptFacts('recovery', userId, facts);
    return {
      ...keys,
      facts: encrypted,
      seal: is.seal('recovery', keys.code_key, keys.replaced_key, encrypted, userId),
    };
  }

  /** An entry that the newest key made or wrapped is as it should be. */
  function wrapNumber(row: Row) {
    const entry = {
      keyId: Number(textOf(row, 'key_id')),
      wrappedBy: [...textOf(row, 'wrapped_by').matchAll(/\d+/gu)].map(Number),
      idx: bytesOf(row, 'idx'),
    };
    const isNew = entry.keyId === newest || entry.wrappedBy.includes(newest);
    return { entry, wrapped: isNew ? entry : numbers.wrap(entry) };
  }
  const numberColumns = ({ wrapped }: ReturnType<typeof wrapNumber>) => ({
    idx: wrapped.idx,
    wrapped_by: `{${wrapped.wrappedBy.join()}}`,
  });

  return {
    tables: [
      {
        name: 'identity.users',
        key: ['id'],
        reads: { author_seed: 't.author_seed', speaker_id: 't.speaker_id' },
        changes: ['seal', 'facts'],
        rekey: rekeyUser,
      },
      {
        name: 'identity.recovery_codes',
        key: ['user_id'],
        changes: ['code_key', 'replaced_key', 'seal', 'facts'],
        rekey: rekeyRecovery,
      },
      {
        name: 'identity.devices',
        key: ['device_key'],
        changes: ['device_key'],
        rekey: (row) => ({
          device_key: layers.addToHash('identity.devices.device_key', bytesOf(row, 'device_key')),
        }),
      },
      {
        name: 'identity.choices',
        key: ['user_id'],
        changes: ['sealed'],
        rekey(row) {
          const bound = boundTo(textOf(row, 'user_id'));
          return { sealed: sealChoices(row['sealed'] ?? null, [bound, bound]) };
        },
      },
      {
        name: 'identity.phone_index',
        key: ['key_id', 'idx'],
        reads: { user_id: 't.user_id::text' },
        changes: ['idx', 'wrapped_by', 'seal'],
        rekey(row) {
          const found = wrapNumber(row);
          const [userId, seal] = [BigInt(textOf(row, 'user_id')), bytesOf(row, 'seal')];
          const isSealed = numbersWere.isSealed({ ...found.entry, userId, seal });
          return {
            ...numberColumns(found),
            seal: isSealed ? numbers.seal(found.wrapped, userId).seal : seal,
          };
        },
      },
      {
        name: 'identity.held_numbers',
        key: ['key_id', 'idx'],
        changes: ['idx', 'wrapped_by'],
        rekey: (row) => numberColumns(wrapNumber(row)),
      },
    ],
  };
}

/** The visits that are not written yet, under the new key. They are in Redis, where nothing else is worth keeping. */
export async function rekeyVisits(
  { redis, clock }: { readonly redis: RedisStore; readonly clock: Clock },
  names: readonly string[],
  { before, after }: KeyChange,
) {
  const [from, to] = [createVisitCodec(before), createVisitCodec(after)];
  const visits = createVisitStore(redis, clock);
  for (const { day, tag } of names.map(readVisitKey).filter((key) => key !== null))
    for await (const members of visits.read(day, tag)) {
      const changed = members.flatMap((member) => {
        const visitor = from.decode(day, member);
        return visitor ? [[member, to.encode(day, visitor)] as const] : [];
      });
      if (changed.length === 0) continue;
      await visits.add(
        day,
        changed.map(([, made]) => made),
      );
      await visits.remove(
        day,
        tag,
        changed.map(([was]) => was),
      );
    }
}
