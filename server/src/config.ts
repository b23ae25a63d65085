import { userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';
import { livePace } from '@unsaid/contract';
import * as z from 'zod';
import { schemaNames } from './db/schemas.ts';
import type { LocalKey } from './platform/crypto/master-key.ts';
import { jobsSchema, rolesOf, type LoginRole } from './platform/logins.ts';

/** The only reader of process.env. What each variable means: .env.example. A blank one counts as not set. */

export type Config = ReturnType<typeof readConfig>;

export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Public, so production does not start with it. */
const developmentKey = Buffer.from('unsaid: a key for development!!!').toString('base64');
/** `api`: calls and pages of users. `worker`: jobs. `mod`: the moderation console. */
const serviceNames = ['api', 'worker', 'mod'] as const;
const providerNames = ['outbox', 'twilio', 'msg91'] as const;

/** Required if there is no fallback. */
const text = (fallback?: string, missing = 'is required'): z.ZodType<string> =>
  fallback === undefined ? z.string(missing) : z.string().default(fallback);
/** A number below the least counts as the least. */
const whole = (fallback: number, least = 0) =>
  text(String(fallback))
    .transform(Number)
    .refine((value) => Number.isInteger(value) && value >= 0, 'must be a whole number')
    .transform((value) => Math.max(least, value));
const split = (value: string) => Array.from(value.split(','), (part) => part.trim()).filter(Boolean);
const list = (fallback?: string) => text(fallback).transform(split);
const url = (fallback?: string, form = 'must be a URL', missing?: string) =>
  text(fallback, missing)
    .refine((value) => URL.canParse(value), form)
    .transform((value) => new URL(value));
const refused = <T>(message: string, value: T) => z.undefined(message).transform(() => value);

/** Two times in UTC, the earlier first. They go into the page as they are. */
function isSpan(value: string): boolean {
  const [, from = '', until = ''] = /^([0-9T:-]{16,19}Z)\/([0-9T:-]{16,19}Z)$/u.exec(value) ?? [];
  return value === '' || Date.parse(from) < Date.parse(until);
}

function createReader(env: NodeJS.ProcessEnv) {
  const problems = new Set<string>();
  const mode = env['NODE_ENV']?.trim();
  const given = (name: string) => env[name]?.trim() || undefined;
  return {
    mode,
    /** Unset means production: a forgotten variable must not start a server with the public development key. */
    isProduction: mode !== 'development' && mode !== 'test',
    given,
    /** An invalid value is undefined here: `check` throws before anybody sees it. */
    read<T>(name: string, schema: z.ZodType<T>): T {
      const { data, error } = schema.safeParse(given(name));
      // A message that begins with a capital names the variable itself.
      for (const { message } of error?.issues ?? [])
        problems.add(/^[A-Z]/u.test(message) ? message : `${name} ${message}`);
      return data as T;
    },
    /** Throws all problems at once. */
    check() {
      if (problems.size > 0 && !mode) problems.add('NODE_ENV is not set, which means production');
      if (problems.size > 0) throw new ConfigError([...problems].join('; '));
    },
  };
}

export function readConfig(env: NodeJS.ProcessEnv) {
  const { mode, isProduction, given, read, check } = createReader(env);
  /** A fallback that production does not have. */
  const local = (value: string) => (isProduction ? undefined : value);
  const onlyRequiredInProduction = (schema: z.ZodType<string>) => (isProduction ? schema : schema.optional());
  const isSecure = ({ protocol }: URL) => !isProduction || protocol === 'https:';
  /** A pace that privacy depends on: only tests have another. */
  const pace = (usual: number) =>
    isProduction ? refused('is refused in production', usual) : whole(usual, 100);

  const usualServices = mode === 'development' ? 'api,worker,mod' : 'api,worker';
  const services = split(given('SERVICES') ?? usualServices);
  // Only calls of users send codes: the other processes need no provider and hold none of its keys.
  const sendsCodes = services.includes('api');
  const isRedisCluster =
    read('REDIS_CLUSTER', z.enum(['true', 'false'], 'must be true or false').default('false')) === 'true';
  const config = {
    isProduction,
    /** The owner's connection, for development and tests. Empty in production, where only `migrate` has it. */
    databaseUrl: read(
      'DATABASE_URL',
      isProduction
        ? refused('DATABASE_URL can access every schema: set it for migrate, not for the server', '')
        : text(localDatabase()),
    ),
    roleUrls: readRoleUrls(),
    contentReadUrl: readContentReadUrl(),
    databasePoolSize: read('DATABASE_POOL_SIZE', whole(10, 1)),
    /** Of a statement, as in deploy/logins.sql, and of waiting for a connection. Tools that fill a database set 0: none. */
    databaseTimeoutMs: 2000,
    redisUrl: read(
      'REDIS_URL',
      text(local('redis://127.0.0.1:6379')).refine(
        (value) => isRedisCluster || !value.includes(','),
        'has several nodes: set REDIS_CLUSTER=true',
      ),
    ),
    isRedisCluster,
    redisPrefix: read('REDIS_PREFIX', text('unsaid:')),
    redisTimeoutMs: read('REDIS_TIMEOUT_MS', whole(200, 1)),
    handlerTimeoutMs: read('HANDLER_TIMEOUT_MS', whole(5000, 1)),
    masterKeys: readMasterKeys(),
    publicOrigin: read(
      'PUBLIC_ORIGIN',
      url(local(`http://localhost:${given('PORT') ?? '3000'}`), 'must be a URL like https://unsaid.example'),
    ),
    host: read('HOST', text('0.0.0.0')),
    port: read('PORT', whole(3000)),
    metricsPort: read('METRICS_PORT', whole(9464)),
    services: read(
      'SERVICES',
      list(usualServices)
        .pipe(z.array(z.enum(serviceNames, 'must be a list of api, worker and mod')))
        .transform((names): ReadonlySet<(typeof serviceNames)[number]> => new Set(names)),
    ),
    modOrigin: readModOrigin(),
    modPort: read('MOD_PORT', whole(3001)),
    ventAnswerMs: read('VENT_ANSWER_MS', isProduction ? whole(200, 200) : whole(0)),
    limitsScale: read('LIMITS_SCALE', whole(isProduction ? 1 : 20, 1)),
    smsCountries: read(
      'SMS_COUNTRIES',
      list(isProduction ? 'IN' : 'all').transform((codes): readonly string[] | 'all' =>
        codes.includes('all') ? 'all' : codes.map((code) => code.toUpperCase()),
      ),
    ),
    smsCeiling: {
      perMinute: read('SMS_PER_MINUTE', whole(30, 1)),
      perDay: read('SMS_PER_DAY', whole(5000, 1)),
    },
    ...readSms(),
    corsOrigins: read('CORS_ORIGINS', list('')),
    trustedProxies: read('TRUSTED_PROXIES', list('')),
    /** Lower in tests. Changing it on live data makes every account unfindable. */
    phoneIndexCost: read(
      'PHONE_INDEX_COST',
      whole(15).refine((cost) => !isProduction || cost >= 15, 'must be at least 15 in production'),
    ),
    logLevel: read('LOG_LEVEL', text('info')),
    drainMs: read('DRAIN_MS', whole(isProduction ? 5000 : 0)),
    live: {
      socketsMax: read('LIVE_SOCKETS_MAX', whole(10_000)),
      drainMs: read('LIVE_DRAIN_MS', whole(isProduction ? 30_000 : 0)),
      tickMs: read('LIVE_TICK_MS', pace(livePace.tickMs)),
      recountMs: read('LIVE_RECOUNT_MS', pace(300_000)),
    },
    webRoot: fileURLToPath(new URL('../../web/dist', import.meta.url)),
    modWebRoot: fileURLToPath(new URL('../../web/dist-mod', import.meta.url)),
    grievanceOfficer: readGrievanceOfficer(),
    operator: {
      nameAndAddress: given('OPERATOR') ?? null,
      support: given('OPERATOR_SUPPORT') ?? null,
      termsFrom:
        read(
          'OPERATOR_TERMS_FROM',
          z
            .string()
            .regex(/^\d{4}-\d\d-\d\d$/u, 'must be a day like 2027-01-31')
            .optional(),
        ) ?? null,
      courts: given('OPERATOR_COURTS') ?? null,
      hosting: given('OPERATOR_HOSTING') ?? null,
      smsCompany: given('OPERATOR_SMS_COMPANY') ?? null,
      smsKeeps: given('OPERATOR_SMS_KEEPS') ?? null,
    },
    /** `from/until`: what a restore could not bring back. */
    dataLost:
      read(
        'DATA_LOST',
        text('').refine(isSpan, 'must look like 2026-11-18T01:05:00Z/2026-11-18T03:20:00Z'),
      ) || null,
  };
  check();
  return config;

  /** Without a login, the owner's connection takes the role. Their rights are checked at the start (`login-check.ts`). */
  function readRoleUrls() {
    const login = text(undefined, 'is required: a login for that schema only, see deploy/logins.sql').refine(
      (value) => URL.canParse(value),
      'must look like postgres://login@host/database',
    );
    const urls: { [R in LoginRole]?: string } = {};
    const roles = rolesOf({ services: new Set(services) }).map(({ role }): LoginRole => role);
    if (!roles.includes('console') && isProduction)
      read('CONSOLE_DATABASE_URL', refused('is for the process of the console alone: unset it here', ''));
    for (const role of [...roles, jobsSchema] as const) {
      const value = read(`${role.toUpperCase()}_DATABASE_URL`, onlyRequiredInProduction(login));
      if (value !== undefined) urls[role] = value;
    }
    return urls;
  }

  /** A standby has the roles of its primary: with the same login the rights are those that are checked there. */
  function readContentReadUrl(): string | null {
    const userOf = (value: string) => URL.parse(value)?.username;
    const primary =
      given('CONTENT_DATABASE_URL') ?? (isProduction ? '' : (given('DATABASE_URL') ?? localDatabase()));
    const standby = text('')
      .refine(
        (value) => value === '' || URL.canParse(value),
        'must look like postgres://login@standby/database',
      )
      .refine(
        (value) => value === '' || userOf(value) === userOf(primary),
        'must have the login of CONTENT_DATABASE_URL',
      );
    return read('CONTENT_READ_URL', standby) || null;
  }

  /**
   * MASTER_KEYS="2:base64,1:base64": the first wraps the data keys, each unwraps them. MASTER_KEY alone is a ring of one key
   * with id 1.
   */
  function readMasterKeys(): readonly [LocalKey, ...LocalKey[]] {
    const isRandom = (bytes: Buffer) =>
      new Set(bytes).size >= 8 && bytes.toString('base64') !== developmentKey;
    const entry = z
      .string()
      .regex(/^[1-9][0-9]{0,3}:[^:]*$/u, 'entries must look like 2:base64')
      .transform((value) => {
        const [id, encoded = ''] = value.split(':');
        return { id: Number(id), bytes: Buffer.from(encoded, 'base64') };
      })
      .refine(({ bytes }) => bytes.length === 32, 'MASTER_KEY must be 32 bytes in base64')
      .refine(
        ({ bytes }) => !isProduction || isRandom(bytes),
        'MASTER_KEY must be random and not the development key',
      );
    const single = given('MASTER_KEY') ?? local(developmentKey);
    const ring = text(single && `1:${single}`, 'MASTER_KEY is required: 32 random bytes in base64');
    return read(
      'MASTER_KEYS',
      ring
        .transform(split)
        .pipe(z.tuple([entry], entry))
        .refine((keys) => new Set(keys.map(({ id }) => id)).size === keys.length, 'has two keys of one id'),
    );
  }

  /** Null in a production process that neither serves moderators nor makes links for them. */
  function readModOrigin(): URL | null {
    const publicHost = URL.parse(given('PUBLIC_ORIGIN') ?? '')?.hostname;
    const origin = url(
      local(`http://localhost:${given('MOD_PORT') ?? '3001'}`),
      'must be a URL like https://moderation.unsaid.example',
      'is required with SERVICES=mod',
    )
      .refine(isSecure, 'must begin with https')
      // On the same host, a flaw in the pages of users would be one in the console.
      .refine(
        ({ hostname }) => !isProduction || hostname !== publicHost,
        'must have another host than PUBLIC_ORIGIN',
      );
    const isOptional = isProduction && !services.includes('mod');
    return read('MOD_ORIGIN', isOptional ? origin.optional() : origin) ?? null;
  }

  function readSms() {
    const named = sendsCodes ? split(given('SMS_PROVIDER') ?? local('outbox') ?? '') : [];
    const provider = list(local('outbox'))
      .pipe(
        z.array(z.enum(providerNames, 'must be outbox or a list of twilio and msg91')).min(1, 'is required'),
      )
      .refine(
        (names) => !isProduction || !names.includes('outbox'),
        'SMS_PROVIDER=outbox is refused in production: it prints codes to the terminal',
      )
      .refine(
        (names) => names.length === 1 || !names.includes('outbox'),
        'SMS_PROVIDER=outbox cannot be combined with other providers',
      );
    /** Required with the provider. */
    const textFor = (name: string) => text(named.includes(name) ? undefined : '');
    const apiUrl = (usual: string) => url(usual).refine(isSecure, 'must begin with https');
    const testNumbersUntil = Date.parse(given('SMS_TEST_NUMBERS_UNTIL') ?? '');
    const testNumbers = list('')
      .pipe(z.array(z.string().regex(/^\+[0-9]{4,15}=[0-9]{6}$/u, 'must look like +15555550123=123456')))
      .refine(
        // A date that has passed only ends them: refusing it would take the site down at the next restart.
        (numbers) => numbers.length === 0 || !Number.isNaN(testNumbersUntil),
        'requires SMS_TEST_NUMBERS_UNTIL, a date',
      );
    return {
      sms: {
        providers: sendsCodes ? read('SMS_PROVIDER', provider) : [],
        outboxFile: read('SMS_OUTBOX_FILE', text('.data/outbox.jsonl')),
        timeoutMs: read('SMS_TIMEOUT_MS', whole(8000, 1)),
        twilio: {
          url: read('TWILIO_URL', apiUrl('https://api.twilio.com')),
          accountSid: read('TWILIO_ACCOUNT_SID', textFor('twilio')),
          keySid: read('TWILIO_KEY_SID', text(given('TWILIO_ACCOUNT_SID') ?? '')),
          keySecret: read('TWILIO_KEY_SECRET', textFor('twilio')),
          sender: read('TWILIO_SENDER', textFor('twilio')),
        },
        msg91: {
          url: read('MSG91_URL', apiUrl('https://control.msg91.com')),
          authKey: read('MSG91_AUTH_KEY', textFor('msg91')),
          templateId: read('MSG91_TEMPLATE_ID', textFor('msg91')),
        },
      },
      /** Off with the outbox: messages cost nothing there, and developers request codes that they never use. */
      isConversionWatched: sendsCodes && !named.includes('outbox'),
      /** Numbers with a fixed code and no SMS, for app store reviewers. */
      testNumbers: read(
        'SMS_TEST_NUMBERS',
        testNumbers.transform(
          (numbers): ReadonlyMap<string, string> =>
            new Map(numbers.map((number) => number.split('=') as [string, string])),
        ),
      ),
      testNumbersUntil,
    };
  }

  /** The law asks for a person whom people can write to, by name. */
  function readGrievanceOfficer() {
    const need = (reason: string) => text(undefined, `is required: ${reason}`);
    const email = need('the address that people write to').refine(
      (value) => /^[^@\s]+@[^@\s]+$/u.test(value),
      'must look like officer@unsaid.example',
    );
    const [name, address] = [
      read('GRIEVANCE_OFFICER_NAME', onlyRequiredInProduction(need('the person named on /grievance'))),
      read('GRIEVANCE_OFFICER_EMAIL', onlyRequiredInProduction(email)),
    ];
    if (!name || !address) return null;
    const optional = (part: string) => given(`GRIEVANCE_OFFICER_${part}`) ?? null;
    return { name, email: address, address: optional('ADDRESS'), phone: optional('PHONE') };
  }
}

/**
 * The configuration of `migrate`: the owner's login of each schema, by default one for all, and the job queue's login. It
 * needs no master key.
 */
export function readMigrationConfig(env: NodeJS.ProcessEnv) {
  const { isProduction, read, check } = createReader(env);
  const jobs = text(undefined, 'is required: the job queue is migrated with its own login');
  const places = [...schemaNames, jobsSchema] as const;
  const own = places.map(
    (name) => [name, read(`${name.toUpperCase()}_OWNER_URL`, text().optional())] as const,
  );
  const needsCommon = own.some(([, url]) => url === undefined);
  const common = text(
    isProduction && needsCommon ? undefined : localDatabase(),
    'is required: the login that owns the schemas',
  );
  const databaseUrl = read('DATABASE_URL', common);
  const config = {
    isProduction,
    /** What each database holds, by the URL of its owner. */
    owned: Map.groupBy(
      own.map(([name, url]) => ({ name, url: url ?? databaseUrl })),
      ({ url }) => url,
    ),
    jobsUrl: read('JOBS_DATABASE_URL', isProduction ? jobs : jobs.optional()),
    logLevel: read('LOG_LEVEL', text('info')),
  };
  check();
  return config;
}

function localDatabase(): string {
  return `postgres://${encodeURIComponent(userInfo().username)}@127.0.0.1:5432/unsaid`;
}
