import type { Endpoint } from '@unsaid/contract';

/**
 * Serializes a response to JSON by its schema. The schema is an allow-list: only its fields are written, so a column
 * added to a SELECT cannot leak. Compiled once per schema; parsing and then stringifying would traverse each response
 * twice. Objects passed to `memoizeJson` are serialized once. Reads zod's internals (`_zod.def`), which
 * serializer.test.ts checks against each zod version.
 */
export type Serializer = (value: unknown) => string;

type Schema = Endpoint['response'];

interface Definition {
  readonly type: string;
  readonly shape?: Record<string, Schema>;
  readonly element?: Schema;
  readonly innerType?: Schema;
  readonly checks?: readonly unknown[];
}

const shared = new WeakSet<object>();

/** Marks an object that will not change and will be part of many responses: its JSON is cached. */
export function memoizeJson(value: object): void {
  shared.add(value);
}

const plain: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: Number.isFinite,
  boolean: (value) => typeof value === 'boolean',
};

export function createSerializer(schema: Schema): Serializer {
  const { type, shape, element, innerType, checks } = schema._zod.def as Definition;
  if (checks && checks.length > 0) return viaParse(schema);
  if (type === 'object' && shape) return createObjectSerializer(shape);
  if (type === 'array' && element) return createArraySerializer(createSerializer(element));
  if (type === 'nullable' && innerType) {
    const write = createSerializer(innerType);
    return (value) => (value === null ? 'null' : write(value));
  }
  const { values } = schema._zod;
  const fits = plain[type] ?? (values && ((value: unknown) => values.has(value as never)));
  if (!fits) return viaParse(schema);
  return (value) => {
    if (!fits(value)) throw new TypeError(`response: expected ${type}, got ${typeof value}`);
    return JSON.stringify(value);
  };
}

/** For rare types: parses with the schema itself. */
function viaParse(schema: Schema): Serializer {
  return (value) => JSON.stringify(schema.parse(value));
}

function createArraySerializer(write: Serializer): Serializer {
  return (value) => {
    if (!Array.isArray(value)) throw new TypeError(`response: expected array, got ${typeof value}`);
    let text = '[';
    for (let index = 0; index < value.length; index += 1) {
      text += index === 0 ? write(value[index]) : `,${write(value[index])}`;
    }
    return `${text}]`;
  };
}

function createObjectSerializer(shape: Record<string, Schema>): Serializer {
  const fields = Object.entries(shape).map(([key, schema]) => {
    const isOptional = schema._zod.def.type === 'optional';
    const inner = isOptional ? (schema._zod.def as Definition).innerType : schema;
    return { key, isOptional, label: `${JSON.stringify(key)}:`, write: createSerializer(inner ?? schema) };
  });
  const texts = new WeakMap<object, string>();

  function writeFields(value: Record<string, unknown>): string {
    let text = '';
    for (const { key, isOptional, label, write } of fields) {
      const field = value[key];
      if (isOptional && field === undefined) continue;
      text += text === '' ? `${label}${write(field)}` : `,${label}${write(field)}`;
    }
    return `{${text}}`;
  }

  return (value) => {
    if (typeof value !== 'object' || value === null)
      throw new TypeError(`response: expected object, got ${value === null ? 'null' : typeof value}`);
    if (!shared.has(value)) return writeFields(value as Record<string, unknown>);
    let text = texts.get(value);
    if (text === undefined) {
      text = writeFields(value as Record<string, unknown>);
      texts.set(value, text);
    }
    return text;
  };
}
