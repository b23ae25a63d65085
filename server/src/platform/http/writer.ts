import type { Endpoint } from '@unsaid/contract';

/**
 * Answers as text, by their schema: only what it names is written, so a column added to a SELECT cannot
 * leak. Put together once for each schema, where parsing and then stringifying would walk through every
 * answer twice. What many readers get alike is written once.
 */
export type Writer = (value: unknown) => string;

type Schema = Endpoint['response'];

interface Definition {
  readonly type: string;
  readonly shape?: Record<string, Schema>;
  readonly element?: Schema;
  readonly innerType?: Schema;
  readonly checks?: readonly unknown[];
}

const shared = new WeakSet<object>();

/** Says that a value will not change any more and will be part of many answers. */
export function writeOnce(value: object): void {
  shared.add(value);
}

const plain: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: Number.isFinite,
  boolean: (value) => typeof value === 'boolean',
};

export function createWriter(schema: Schema): Writer {
  const { type, shape, element, innerType, checks } = schema._zod.def as Definition;
  if (checks && checks.length > 0) return byParsing(schema);
  if (type === 'object' && shape) return createObjectWriter(shape);
  if (type === 'array' && element) return createArrayWriter(createWriter(element));
  if (type === 'nullable' && innerType) {
    const write = createWriter(innerType);
    return (value) => (value === null ? 'null' : write(value));
  }
  const { values } = schema._zod;
  const fits = plain[type] ?? (values && ((value: unknown) => values.has(value as never)));
  if (!fits) return byParsing(schema);
  return (value) => {
    // As refused by parsing: a fault of ours, and nothing leaves.
    if (!fits(value)) throw new TypeError(`an answer holds no ${type} where one belongs`);
    return JSON.stringify(value);
  };
}

/** For the kinds that are rare: the schema itself. */
function byParsing(schema: Schema): Writer {
  return (value) => JSON.stringify(schema.parse(value));
}

function createArrayWriter(write: Writer): Writer {
  return (value) => {
    if (!Array.isArray(value)) throw new TypeError('an answer holds no list where one belongs');
    let text = '[';
    for (let index = 0; index < value.length; index += 1) {
      text += index === 0 ? write(value[index]) : `,${write(value[index])}`;
    }
    return `${text}]`;
  };
}

function createObjectWriter(shape: Record<string, Schema>): Writer {
  const fields = Object.entries(shape).map(([key, schema]) => {
    const isOptional = schema._zod.def.type === 'optional';
    const inner = isOptional ? (schema._zod.def as Definition).innerType : schema;
    return { key, isOptional, label: `${JSON.stringify(key)}:`, write: createWriter(inner ?? schema) };
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
      throw new TypeError('an answer holds nothing where something belongs');
    if (!shared.has(value)) return writeFields(value as Record<string, unknown>);
    let text = texts.get(value);
    if (text === undefined) {
      text = writeFields(value as Record<string, unknown>);
      texts.set(value, text);
    }
    return text;
  };
}
