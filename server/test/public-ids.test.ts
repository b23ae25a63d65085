import { describe, expect, test } from 'vitest';
import { createVisitCodec } from '../src/identity/sessions/visit-codec.ts';
import { createPairKeys } from '../src/matching/pair-keys.ts';
import { createSubjects } from '../src/kernel/subjects.ts';
import { createRedisCrypto } from '../src/platform/crypto/redis-crypto.ts';
import { createPersons } from '../src/kernel/person-keys.ts';
import { createItemCodec, createPublicIds } from '../src/kernel/public-ids.ts';
import { createSpeakers } from '../src/kernel/speakers.ts';
import { keysFrom } from './keys.ts';

/** Golden values: if one changes, stored rows and links that people have saved stop working. */
describe('with a fixed master key', () => {
  const keys = keysFrom(Buffer.alloc(32, 7));
  const person = createPersons(keys)({ authorSeed: Buffer.alloc(32, 3), speakerId: Buffer.alloc(8, 5) });
  const hex = (bytes: Buffer | undefined) => bytes?.toString('hex');
  /** The first half of 32 bytes: all 32 in hex would look like a master key to the check for secrets. */
  const halfHex = (bytes: Buffer) => bytes.toString('hex', 0, 16);

  test('public ids keep their bytes', () => {
    const ids = createPublicIds(keys);
    expect(ids.user.encode(42n)).toBe('8kgc1l4fSWu7_TWA7Y4CGA');
    expect(ids.session.encode(42n)).toBe('qCcdhCQez6DnoKFY63_shg');
    expect(ids.vent.encode(42n)).toBe('GOaGZ5oO60y-wauN3FdCbg');
    expect(ids.alias.encode(42n)).toBe('QxxaYkNJPwEZGk0oYcfUfQ');
    expect(ids.match.encode(42n)).toBe('7g5AW3YddWbS5fLwq7bEWg');
    expect(ids.peer.encode(42n)).toBe('X8wecSxq4J0iPZmSHM2odQ');
    expect(ids.comment.encode({ ventId: 42n, no: 3 })).toBe('-WtKPaZHtMBUU8vmLxv1MA');
    expect(ids.comment.decode('-WtKPaZHtMBUU8vmLxv1MA')).toEqual({ ventId: 42n, no: 3 });
  });

  test('pair keys, visits and results of writes keep their bytes', () => {
    const pairKeys = createPairKeys(keys);
    const visits = createVisitCodec(keys);
    const result = createItemCodec(keys, 'result/1');
    const [key, next] = pairKeys.encodeAll([42n], ['2026-11-16', '2026-11-23']) as [Buffer, Buffer];
    expect(hex(key)).toBe('ec67568b3ec5b1776f416d29c5b5f44e');
    expect(hex(next)).toBe('e9fda7d346e97ec30ca231ab7b39ed18');
    expect(pairKeys.encode(42n, '2026-11-16')).toEqual(key);
    expect([key, next].map(pairKeys.decode)).toEqual([42n, 42n]);
    expect(pairKeys.lockOf(42n)).toBe(4_221_871_716_669_175_250n);
    expect(visits.encode('2026-11-16', { sessionId: 7n, userId: 9n })).toBe('0RFnw46gB123r0cbYInNvA');
    expect(hex(result.encode({ ventId: 42n, no: 3 }))).toBe('1817ccda53723c4d4820c4e482be787b');
  });

  test('a person keeps their keys', () => {
    expect(hex(person.slotKeys('vent', [1, 2])[1])).toBe('86b6c98f910162ce52befbc0c6e20d1e');
    expect(hex(person.slotKeys('comment', [1])[0])).toBe('86460986e2f3ad174d53ac28c8c1222e');
    expect(hex(person.takenKeys('vent', [1])[0])).toBe('fd8cff76946b8630db755e14d6355d02');
    expect(hex(person.takenKeys('comment', [1])[0])).toBe('350418a1328b99f66ee27829f7042a2d');
    const reactorKeys = [
      '6a63bbc4383e4d58ea51030729bd9f75',
      '3e44648259858b44097fe0eee32b1e94',
      '690b2be3579bf56cffe20c4da0410e9b',
    ];
    expect(person.reactorKeys(42n, ['heart', 'hug', 'listen']).map(hex)).toEqual(reactorKeys);
    expect(hex(person.allReactorKeys([42n], ['heart', 'hug', 'listen']))).toBe(reactorKeys.join(''));
    const subjectKey = createSubjects(keys).keyOf({ kind: 'comment', ventId: 42n, no: 3 });
    expect(hex(subjectKey)).toBe('26c8aaf1fc6c06e7408a893784bc91b1');
    expect(hex(person.reporterKeyOn(subjectKey))).toBe('33f704f0012361fcd996314d3fc76ef6');
    expect(hex(person.slotKeys('report', [2])[0])).toBe('0d3dbf30f98eefd5c20a82241101d2fb');
    expect(hex(person.noticeSlots()[1])).toBe('ade3f81321be246d9fee5002d8d64c0a');
    expect(hex(person.leavingKey())).toBe('40a04cd459ac67722c153c3564f8cbe9');
    const { vent, comment } = person.slotSecrets();
    expect(halfHex(vent)).toBe('0f5b219bf673104fb72f310ba590f41e');
    expect(halfHex(comment)).toBe('1e3095248411f71c07381e7c23abb868');
    expect(
      (['budget', 'idempotency', 'standing'] as const).map((use) => halfHex(person.mark(use, 'a', 'b'))),
    ).toEqual([
      '8314754cf7b9112faf97c6329df77ffd',
      '080aabf4deefa28a00fa9dfb6c0e6b1e',
      'd404b2cf5ba17ae0e77293845a544384',
    ]);
  });

  test('speakers keep their bytes in every voice', () => {
    const speakers = createSpeakers(keys);
    const voices = ['vent', 'named', 'anonymous', 'author'] as const;
    expect(
      voices.map((voice) => hex(speakers.encrypt({ voice, ventId: 42n, no: 3 }, person.speakerId, 4))),
    ).toEqual([
      '47fe4bc46c30e2ba4f9278315c93a84e',
      'a6277102b397f9e3d7cd3535cdd4ef0e',
      'a1ba4552c93fa4902858bfa50674bba3',
      '6f2a89fa7068630f1f179797c44d201b',
    ]);
  });

  test('names and masks in Redis stay the same', () => {
    const redisCrypto = createRedisCrypto(keys);
    expect(redisCrypto.keyedHash('phone', 'x')).toBe('hpjoMer8vMxPE2NEW8VSfDOc');
    expect(redisCrypto.counter('k', 'x')).toEqual({
      name: '{92}kiQf4VzTbaVWAOxLYT6ZhqUY',
      mask: 936_776_139_459,
    });
  });
});
