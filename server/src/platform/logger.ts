import pino, { type DestinationStream } from 'pino';

/** An allow-list: other fields are dropped. A log with a body, an address or an account could link a vent to a person. */
const allowedFields = new Set([
  'event',
  'requestId',
  'method',
  'route',
  'status',
  'durationMs',
  'errorCode',
  'errorName',
  'stack',
  'role',
  'queue',
  'port',
  'services',
  'migration',
  'budget',
  'count',
  'provider',
  'outcome',
  'auditHead',
  'auditSeq',
] as const);

type AllowedField = typeof allowedFields extends Set<infer F> ? F : never;
type Fields = { readonly [F in AllowedField]?: string | number | readonly string[] | undefined };

export interface Logger {
  info(fields: Fields): void;
  warn(fields: Fields): void;
  error(fields: Fields): void;
}

export function createLogger(level: string, destination?: DestinationStream): Logger {
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination ?? pino.destination({ fd: 1, sync: false }),
  );
  return {
    info: (fields) => log.info(onlyAllowed(fields)),
    warn: (fields) => log.warn(onlyAllowed(fields)),
    error: (fields) => log.error(onlyAllowed(fields)),
  };
}

/** The type checks this at compile time; this filter also stops casts, and errors that pino would turn into messages. */
function onlyAllowed(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => allowedFields.has(name as AllowedField)),
  );
}

/** The place of an error without its message: messages of databases and parsers quote what people sent. */
export function describeFault(error: unknown): Fields {
  if (!(error instanceof Error)) return { errorName: typeof error };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /u.test(line));
  return {
    errorName: error.name,
    errorCode: 'code' in error ? String(error.code) : undefined,
    stack: frames.slice(0, 12).join('\n'),
  };
}
