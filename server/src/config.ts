import { userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';
import { livePace } from '@unsaid/contract';
import { loginRoles, type LoginRole } from './platform/logins.ts';
import type { Msg91Settings } from './platform/sms/msg91.ts';
import type { TwilioSettings } from './platform/sms/twilio.ts';

/** The only reader of process.env. */

export interface MasterKey {
  readonly id: number;
  readonly bytes: Buffer;
}

export interface Config {
  readonly isProduction: boolean;
  /** The owner's connection, for development and tests. Empty in production, where only `migrate` has it. */
  readonly databaseUrl: string;
  /** A login for each schema; required in production. Without one, the owner's connection takes the role. */
  readonly roleUrls: { readonly [R in LoginRole]?: string };
  /** Maximum connections of a process for each pool. */
  readonly databasePoolSize: number;
  /** Timeout of a statement, and of waiting for a connection. 0 is for tools that fill a database: no timeout. */
  readonly databaseTimeoutMs: number;
  readonly redisUrl: string;
  readonly redisPrefix: string;
  /** Timeout of a Redis command. */
  readonly redisTimeoutMs: number;
  /** A request that takes longer is answered with 503. */
  readonly handlerTimeoutMs: number;
  /** Newest first. */
  readonly masterKeys: readonly MasterKey[];
  readonly publicOrigin: URL;
  readonly host: string;
  readonly port: number;
  readonly metricsPort: number;
  readonly services: ReadonlySet<ServiceName>;
  /** Where moderators work. Null in a production process that neither serves them nor makes links for them. */
  readonly modOrigin: URL | null;
  readonly modPort: number;
  readonly limitsScale: number;
  readonly smsCountries: readonly string[] | 'all';
  readonly sms: SmsSettings;
  /** Off with the outbox: messages cost nothing there, and developers request codes that they never use. */
  readonly isConversionWatched: boolean;
  /** Numbers with a fixed code and no SMS, for app store reviewers, until `testNumbersUntil`. */
  readonly testNumbers: ReadonlyMap<string, string>;
  readonly testNumbersUntil: number;
  readonly corsOrigins: readonly string[];
  readonly trustedProxies: readonly string[];
  /** log2 of scrypt's N for the phone index. Lower in tests; changing it on live data makes every account unfindable. */
  readonly phoneIndexCost: number;
  readonly logLevel: string;
  /** How long to keep serving after SIGTERM, so that load balancers notice first. */
  readonly drainMs: number;
  readonly live: LiveSettings;
  readonly webRoot: string;
  readonly modWebRoot: string;
  /** Published on /grievance; required in production. */
  readonly grievanceOfficer: GrievanceOfficer | null;
}

export interface GrievanceOfficer {
  readonly name: string;
  readonly email: string;
  readonly address: string | null;
  readonly phone: string | null;
}

/** `api`: calls and pages of users. `worker`: jobs. `mod`: the moderation console. */
const serviceNames = ['api', 'worker', 'mod'] as const;
export type ServiceName = (typeof serviceNames)[number];

export interface LiveSettings {
  /** Live connections of a process. */
  readonly socketsMax: number;
  /** After SIGTERM, live connections are closed at random moments within this time. */
  readonly drainMs: number;
  /** From one tick to the next. Production has one pace, which privacy depends on. */
  readonly tickMs: number;
  /** The shortest time from one count of content to the next; the longest is twice as long. */
  readonly recountMs: number;
}

export interface SmsSettings {
  /** In order of preference. `outbox` cannot be combined. Empty in a process without `api`. */
  readonly providers: readonly (keyof typeof smsVariables)[];
  readonly outboxFile: string;
  readonly timeoutMs: number;
  readonly twilio: TwilioSettings;
  readonly msg91: Msg91Settings;
}

/** The variables that each provider requires. */
const smsVariables = {
  outbox: [],
  twilio: ['TWILIO_ACCOUNT_SID', 'TWILIO_KEY_SECRET', 'TWILIO_SENDER'],
  msg91: ['MSG91_AUTH_KEY', 'MSG91_TEMPLATE_ID'],
} as const;

export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Public, so production does not start with it. */
const developmentKey = Buffer.from('unsaid: a key for development!!!').toString('base64');

export function readConfig(env: NodeJS.ProcessEnv): Config {
  const problems: string[] = [];
  const mode = env['NODE_ENV']?.trim();
  const isProduction = isProductionMode(env);

  function text(name: string, fallback?: string): string {
    const value = env[name]?.trim();
    if (value) return value;
    if (fallback === undefined) problems.push(`${name} is required`);
    return fallback ?? '';
  }
  function whole(name: string, fallback: number): number {
    const value = Number(text(name, String(fallback)));
    if (!Number.isInteger(value) || value < 0) problems.push(`${name} must be a whole number`);
    return value;
  }
  /** A pace that privacy depends on: only tests have another. */
  function pace(name: string, usual: number): number {
    if (isProduction && env[name]?.trim()) problems.push(`${name} is refused in production`);
    return Math.max(100, whole(name, usual));
  }
  function list(name: string, fallback = ''): string[] {
    return text(name, fallback)
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean);
  }

  const origin = text(
    'PUBLIC_ORIGIN',
    isProduction ? undefined : `http://localhost:${env['PORT'] ?? '3000'}`,
  );
  if (!URL.canParse(origin)) problems.push('PUBLIC_ORIGIN must be a URL like https://unsaid.example');

  function address(name: string, fallback: string): URL {
    const value = text(name, fallback);
    if (!URL.canParse(value)) problems.push(`${name} must be a URL`);
    const url = new URL(URL.canParse(value) ? value : fallback);
    if (isProduction && url.protocol !== 'https:') problems.push(`${name} must begin with https`);
    return url;
  }

  const services = new Set<ServiceName>();
  for (const name of list('SERVICES', mode === 'development' ? 'api,worker,mod' : 'api,worker')) {
    const known = serviceNames.find((service) => service === name);
    if (known) services.add(known);
    else problems.push('SERVICES must be a list of api, worker and mod');
  }

  // Only calls of users send codes: the other processes need no provider and hold none of its keys.
  const sendsCodes = services.has('api');
  const named = sendsCodes ? list('SMS_PROVIDER', isProduction ? '' : 'outbox') : [];
  const smsProviders = named.filter((name) => {
    const isKnown = Object.hasOwn(smsVariables, name);
    if (!isKnown) problems.push('SMS_PROVIDER must be outbox or a list of twilio and msg91');
    return isKnown;
  }) as (keyof typeof smsVariables)[];
  if (sendsCodes && smsProviders.length === 0) problems.push('SMS_PROVIDER is required');
  if (smsProviders.includes('outbox')) {
    if (isProduction)
      problems.push('SMS_PROVIDER=outbox is refused in production: it prints codes to the terminal');
    if (smsProviders.length > 1) problems.push('SMS_PROVIDER=outbox cannot be combined with other providers');
  }
  for (const name of smsProviders.flatMap((provider) => [...smsVariables[provider]])) text(name);

  const testNumbers = new Map<string, string>();
  for (const entry of list('SMS_TEST_NUMBERS')) {
    const [number = '', code = ''] = entry.split('=');
    if (!/^\+[0-9]{4,15}$/u.test(number) || !/^[0-9]{6}$/u.test(code)) {
      problems.push('SMS_TEST_NUMBERS must look like +15555550123=123456');
    } else testNumbers.set(number, code);
  }
  const testNumbersUntil = Date.parse(text('SMS_TEST_NUMBERS_UNTIL', ''));
  if (testNumbers.size > 0 && !(testNumbersUntil > Date.now())) {
    problems.push('SMS_TEST_NUMBERS requires SMS_TEST_NUMBERS_UNTIL, a date in the future');
  }

  const modPort = whole('MOD_PORT', 3001);
  const modOrigin = readModOrigin();
  function readModOrigin(): URL | null {
    const value = text('MOD_ORIGIN', isProduction ? '' : `http://localhost:${modPort}`);
    if (!value) {
      if (services.has('mod')) problems.push('MOD_ORIGIN is required with SERVICES=mod');
      return null;
    }
    if (!URL.canParse(value)) {
      problems.push('MOD_ORIGIN must be a URL like https://moderation.unsaid.example');
      return null;
    }
    const url = new URL(value);
    if (isProduction && url.protocol !== 'https:') problems.push('MOD_ORIGIN must begin with https');
    // On the same host, a flaw in the pages of users would be one in the console.
    if (isProduction && URL.canParse(origin) && url.hostname === new URL(origin).hostname)
      problems.push('MOD_ORIGIN must have another host than PUBLIC_ORIGIN');
    return url;
  }

  const countries = list('SMS_COUNTRIES', isProduction ? 'IN' : 'all');
  const config: Config = {
    isProduction,
    databaseUrl: isProduction ? '' : text('DATABASE_URL', localDatabase()),
    roleUrls: readRoleUrls(env, isProduction, problems),
    databasePoolSize: Math.max(1, whole('DATABASE_POOL_SIZE', 10)),
    databaseTimeoutMs: Math.max(1, whole('DATABASE_TIMEOUT_MS', 2000)),
    redisUrl: text('REDIS_URL', isProduction ? undefined : 'redis://127.0.0.1:6379'),
    redisPrefix: text('REDIS_PREFIX', 'unsaid:'),
    redisTimeoutMs: Math.max(1, whole('REDIS_TIMEOUT_MS', 200)),
    handlerTimeoutMs: Math.max(1, whole('HANDLER_TIMEOUT_MS', 5000)),
    masterKeys: readMasterKeys(env, isProduction, problems),
    publicOrigin: new URL(URL.canParse(origin) ? origin : 'http://invalid'),
    host: text('HOST', '0.0.0.0'),
    port: whole('PORT', 3000),
    metricsPort: whole('METRICS_PORT', 9464),
    services,
    modOrigin,
    modPort,
    limitsScale: Math.max(1, whole('LIMITS_SCALE', isProduction ? 1 : 20)),
    smsCountries: countries.includes('all') ? 'all' : countries.map((code) => code.toUpperCase()),
    sms: {
      providers: smsProviders,
      outboxFile: text('SMS_OUTBOX_FILE', '.data/outbox.jsonl'),
      timeoutMs: Math.max(1, whole('SMS_TIMEOUT_MS', 8000)),
      twilio: {
        url: address('TWILIO_URL', 'https://api.twilio.com'),
        accountSid: text('TWILIO_ACCOUNT_SID', ''),
        keySid: text('TWILIO_KEY_SID', env['TWILIO_ACCOUNT_SID'] ?? ''),
        keySecret: text('TWILIO_KEY_SECRET', ''),
        sender: text('TWILIO_SENDER', ''),
      },
      msg91: {
        url: address('MSG91_URL', 'https://control.msg91.com'),
        authKey: text('MSG91_AUTH_KEY', ''),
        templateId: text('MSG91_TEMPLATE_ID', ''),
      },
    },
    isConversionWatched: sendsCodes && !smsProviders.includes('outbox'),
    testNumbers,
    testNumbersUntil,
    corsOrigins: list('CORS_ORIGINS'),
    trustedProxies: list('TRUSTED_PROXIES'),
    phoneIndexCost: whole('PHONE_INDEX_COST', 15),
    logLevel: text('LOG_LEVEL', 'info'),
    drainMs: whole('DRAIN_MS', isProduction ? 5000 : 0),
    live: {
      socketsMax: whole('LIVE_SOCKETS_MAX', 10_000),
      drainMs: whole('LIVE_DRAIN_MS', isProduction ? 30_000 : 0),
      tickMs: pace('LIVE_TICK_MS', livePace.tickMs),
      recountMs: pace('LIVE_RECOUNT_MS', 300_000),
    },
    grievanceOfficer: readGrievanceOfficer(env, isProduction, problems),
    webRoot: fileURLToPath(new URL('../../web/dist', import.meta.url)),
    modWebRoot: fileURLToPath(new URL('../../web/dist-mod', import.meta.url)),
  };
  if (isProduction && config.phoneIndexCost < 15)
    problems.push('PHONE_INDEX_COST must be at least 15 in production');
  if (problems.length > 0 && !mode) problems.push('NODE_ENV is not set, which means production');
  if (problems.length > 0) throw new ConfigError(problems.join('; '));
  return config;
}

/** The configuration of `migrate`: the owner's login and the job queue's login. It needs no master key. */
export function readMigrationConfig(
  env: NodeJS.ProcessEnv,
): Pick<Config, 'databaseUrl' | 'logLevel'> & { readonly jobsUrl: string | undefined } {
  const isProduction = isProductionMode(env);
  const databaseUrl = env['DATABASE_URL']?.trim() || (isProduction ? '' : localDatabase());
  const jobsUrl = env['JOBS_DATABASE_URL']?.trim() || undefined;
  const problems: string[] = [];
  if (!databaseUrl) problems.push('DATABASE_URL is required: the login that owns the schemas');
  if (!jobsUrl && isProduction)
    problems.push('JOBS_DATABASE_URL is required: the job queue is migrated with its own login');
  if (problems.length > 0) throw new ConfigError(problems.join('; '));
  return { databaseUrl, jobsUrl, logLevel: env['LOG_LEVEL']?.trim() || 'info' };
}

/** Unset means production: a forgotten variable must not start a server with the public development key. */
function isProductionMode(env: NodeJS.ProcessEnv): boolean {
  return !['development', 'test'].includes(env['NODE_ENV']?.trim() ?? '');
}

function localDatabase(): string {
  return `postgres://${encodeURIComponent(userInfo().username)}@127.0.0.1:5432/unsaid`;
}

/** The law asks for a person whom people can write to, by name. */
function readGrievanceOfficer(
  env: NodeJS.ProcessEnv,
  isProduction: boolean,
  problems: string[],
): GrievanceOfficer | null {
  const read = (name: string) => env[`GRIEVANCE_OFFICER_${name}`]?.trim() || null;
  const [name, email] = [read('NAME'), read('EMAIL')];
  if (isProduction && name === null)
    problems.push('GRIEVANCE_OFFICER_NAME is required: the person named on /grievance');
  if (isProduction && email === null)
    problems.push('GRIEVANCE_OFFICER_EMAIL is required: the address that people write to');
  if (email !== null && !/^[^@\s]+@[^@\s]+$/u.test(email))
    problems.push('GRIEVANCE_OFFICER_EMAIL must look like officer@unsaid.example');
  if (name === null || email === null) return null;
  return { name, email, address: read('ADDRESS'), phone: read('PHONE') };
}

/** The rights of each login are checked when the server starts (`platform/login-check.ts`). */
function readRoleUrls(env: NodeJS.ProcessEnv, isProduction: boolean, problems: string[]): Config['roleUrls'] {
  const urls: { [R in LoginRole]?: string } = {};
  for (const role of loginRoles) {
    const name = `${role.toUpperCase()}_DATABASE_URL`;
    const url = env[name]?.trim();
    if (url && !URL.canParse(url)) problems.push(`${name} must look like postgres://login@host/database`);
    if (url) urls[role] = url;
    else if (isProduction)
      problems.push(`${name} is required: a login for that schema only, see deploy/logins.sql`);
  }
  if (isProduction && env['DATABASE_URL']?.trim())
    problems.push('DATABASE_URL can access every schema: set it for migrate, not for the server');
  return urls;
}

/** MASTER_KEYS="2:base64,1:base64", newest first. MASTER_KEY alone is a ring of one key with id 1. */
function readMasterKeys(env: NodeJS.ProcessEnv, isProduction: boolean, problems: string[]): MasterKey[] {
  const single = env['MASTER_KEY']?.trim() || (isProduction ? '' : developmentKey);
  const ring = env['MASTER_KEYS']?.trim() || (single ? `1:${single}` : '');
  if (!ring) {
    problems.push('MASTER_KEY is required: 32 random bytes in base64');
    return [];
  }
  return ring.split(',').map((entry) => {
    const [id = '', encoded = ''] = entry.trim().split(':');
    const bytes = Buffer.from(encoded, 'base64');
    if (!/^[1-9][0-9]{0,3}$/u.test(id)) problems.push('MASTER_KEYS entries must look like 2:base64');
    if (bytes.length !== 32) problems.push('a master key must be 32 bytes in base64');
    else if (isProduction && (encoded === developmentKey || new Set(bytes).size < 8)) {
      problems.push('the master key must be random and not the development key');
    }
    return { id: Number(id), bytes };
  });
}
