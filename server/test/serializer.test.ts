import { endpoints, listVents } from '@unsaid/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSerializer, memoizeJson } from '../src/platform/http/serializer.ts';

type Schema = (typeof endpoints)[number]['response'];

interface Definition {
  readonly type: string;
  readonly shape: Record<string, Schema>;
  readonly element: Schema;
  readonly innerType: Schema;
  readonly valueType: Schema;
  readonly options: readonly Schema[];
}

const column = fc.record({ leaked: fc.string(), authorKey: fc.uint8Array() }, { requiredKeys: [] });

/** Values that fit a schema, with extra columns that the schema does not name. */
function arbitraryFor(schema: Schema): fc.Arbitrary<unknown> {
  const def = schema._zod.def as unknown as Definition;
  switch (def.type) {
    case 'string':
      return fc.string({ unit: 'binary' });
    case 'number':
      return fc.integer();
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(arbitraryFor(def.element), { maxLength: 4 });
    case 'nullable':
      return fc.option(arbitraryFor(def.innerType), { nil: null });
    case 'optional':
      return fc.option(arbitraryFor(def.innerType), { nil: undefined });
    case 'union':
      return fc.oneof(...def.options.map(arbitraryFor));
    case 'record':
      return fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/u), fc.jsonValue(), { maxKeys: 3 });
    case 'object':
      return fc
        .tuple(
          fc.record(
            Object.fromEntries(Object.entries(def.shape).map(([key, one]) => [key, arbitraryFor(one)])),
          ),
          column,
        )
        .map(([named, more]) => ({ ...more, ...named }));
    default:
      return fc.constantFrom(...(schema._zod.values ?? []));
  }
}

describe('the serializer of a response schema', () => {
  test.each(endpoints.map((endpoint) => ({ path: endpoint.path, method: endpoint.method, endpoint })))(
    'writes for $method $path exactly the bytes that parsing would allow',
    ({ endpoint }) => {
      const write = createSerializer(endpoint.response);
      fc.assert(
        fc.property(arbitraryFor(endpoint.response), (answer) => {
          const text = write(answer);
          expect(text).toBe(JSON.stringify(endpoint.response.parse(answer)));
          expect(text).not.toContain('"leaked"');
        }),
        { numRuns: 30 },
      );
    },
  );

  test('throws for a value that does not fit', () => {
    const write = createSerializer(listVents.response);
    const page = { success: true, vents: [], pageCount: 1, hasOlder: false };
    expect(write(page)).toBe(JSON.stringify(page));
    for (const wrong of [
      { ...page, success: false },
      { ...page, vents: null },
      { ...page, vents: [null] },
      { ...page, vents: [{}] },
      { ...page, pageCount: '1' },
      { ...page, pageCount: Number.NaN },
      { ...page, hasOlder: undefined },
      null,
    ]) {
      expect(() => write(wrong)).toThrow();
      expect(() => listVents.response.parse(wrong)).toThrow();
    }
  });

  test('writes memoized JSON the same every time, and includes what is added for a reader', () => {
    const write = createSerializer(listVents.response);
    fc.assert(
      fc.property(arbitraryFor(listVents.response), (answer) => {
        const page = answer as { vents: { comments: object[] }[] };
        for (const vent of page.vents) {
          memoizeJson(vent);
          for (const comment of vent.comments) memoizeJson(comment);
        }
        const text = JSON.stringify(listVents.response.parse(answer));
        for (let reader = 0; reader < 3; reader += 1) expect(write(answer)).toBe(text);
        const mine = { ...page, vents: page.vents.map((vent) => ({ ...vent, isOwner: true })) };
        expect(write(mine)).toBe(JSON.stringify(listVents.response.parse(mine)));
      }),
      { numRuns: 30 },
    );
  });
});
