import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bareEnv } from '../../testkit/child-processes.ts';
import { freePort } from '../../testkit/free-port.ts';
import { serverScript } from '../../testkit/server-process.ts';
import { startTempRedis } from '../../testkit/temp-redis.ts';
import { readConfig } from '../src/config.ts';
import { createLogger } from '../src/platform/logger.ts';
import { createMetrics } from '../src/platform/metrics.ts';
import { openRedis } from '../src/platform/redis.ts';
import { createTestDatabase, databaseUrl, dropDatabase } from './db.ts';

const goodKey = Buffer.from('0123456789abcdefghijklmnopqrstuv').toString('base64');
const production = {
  NODE_ENV: 'production',
  IDENTITY_DATABASE_URL: 'postgres://identity@127.0.0.1/none',
  CONTENT_DATABASE_URL: 'postgres://content@127.0.0.1/none',
  MATCHING_DATABASE_URL: 'postgres://matching@127.0.0.1/none',
  MODERATION_DATABASE_URL: 'postgres://moderation@127.0.0.1/none',
  JOBS_DATABASE_URL: 'postgres://jobs@127.0.0.1/none',
  REDIS_URL: 'redis://127.0.0.1:1',
  PUBLIC_ORIGIN: 'https://unsaid.example',
  MASTER_KEY: goodKey,
  SMS_PROVIDER: 'outbox',
  GRIEVANCE_OFFICER_NAME: 'Asha Rao',
  GRIEVANCE_OFFICER_EMAIL: 'grievance@unsaid.example',
};

/** A process that serves moderators has its own login instead of the api's. */
const consoleUrl = { CONSOLE_DATABASE_URL: 'postgres://console@127.0.0.1/none' };

const runServer = (env: NodeJS.ProcessEnv) => runScript('api', env);

function runScript(name: string, env: NodeJS.ProcessEnv) {
  return spawnSync(process.execPath, [serverScript('api').replace('api.ts', `${name}.ts`)], {
    env: { ...bareEnv, ...env },
    encoding: 'utf8',
    timeout: 60_000,
  });
}

describe('production refuses to start with', () => {
  const cases: Record<string, [NodeJS.ProcessEnv, string]> = {
    'messages printed on the terminal': [{}, 'SMS_PROVIDER=outbox'],
    'the login of the console, without the console': [consoleUrl, 'CONSOLE_DATABASE_URL is for the process'],
    'the console, without its login': [
      { SERVICES: 'mod', MOD_ORIGIN: 'https://moderation.unsaid.example' },
      'CONSOLE_DATABASE_URL is required',
    ],
    'a standby for reads with another login': [
      { CONTENT_READ_URL: 'postgres://identity@127.0.0.2/none' },
      'CONTENT_READ_URL must have the login of CONTENT_DATABASE_URL',
    ],
    'a standby for reads that is no URL': [
      { CONTENT_READ_URL: 'standby' },
      'CONTENT_READ_URL must look like',
    ],
    'two keys of one id': [{ MASTER_KEYS: `1:${goodKey},1:${goodKey}` }, 'has two keys of one id'],
    'no key': [{ MASTER_KEY: '' }, 'MASTER_KEY is required'],
    'a short key': [{ MASTER_KEY: Buffer.alloc(16, 5).toString('base64') }, '32 bytes'],
    'the development key': [
      { MASTER_KEY: Buffer.from('unsaid: a key for development!!!').toString('base64') },
      'must be random',
    ],
    'a key of one byte repeated': [{ MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }, 'must be random'],
    'another pace of the live connection': [{ LIVE_TICK_MS: '1000' }, 'LIVE_TICK_MS is refused'],
    'earlier counts of content': [{ LIVE_RECOUNT_MS: '1000' }, 'LIVE_RECOUNT_MS is refused'],
    'test numbers without an expiry date': [
      { SMS_TEST_NUMBERS: '+15555550123=123456' },
      'SMS_TEST_NUMBERS_UNTIL',
    ],
    'a cheap phone index': [{ PHONE_INDEX_COST: '4' }, 'PHONE_INDEX_COST'],
    'nobody to write to': [{ GRIEVANCE_OFFICER_NAME: '' }, 'GRIEVANCE_OFFICER_NAME is required'],
    'no address to write to': [{ GRIEVANCE_OFFICER_EMAIL: '' }, 'GRIEVANCE_OFFICER_EMAIL is required'],
    'a broken address to write to': [
      { GRIEVANCE_OFFICER_EMAIL: 'asha' },
      'GRIEVANCE_OFFICER_EMAIL must look like',
    ],
    'no origin': [{ PUBLIC_ORIGIN: '' }, 'PUBLIC_ORIGIN'],
    'an unknown service': [{ SERVICES: 'api,everything' }, 'SERVICES must be a list'],
    'moderation without an origin': [{ SERVICES: 'mod' }, 'MOD_ORIGIN is required'],
    'moderation without TLS': [
      { SERVICES: 'mod', MOD_ORIGIN: 'http://moderation.unsaid.example' },
      'MOD_ORIGIN must begin with https',
    ],
    'moderation on the host of users': [
      { SERVICES: 'mod', MOD_ORIGIN: 'https://unsaid.example:8443' },
      'MOD_ORIGIN must have another host',
    ],
    'no SMS provider': [{ SMS_PROVIDER: '' }, 'SMS_PROVIDER is required'],
    'an unknown provider': [{ SMS_PROVIDER: 'pigeon' }, 'SMS_PROVIDER must be outbox'],
    'a provider without its key': [{ SMS_PROVIDER: 'msg91,twilio' }, 'MSG91_AUTH_KEY is required'],
    'a provider URL without TLS': [
      { SMS_PROVIDER: 'msg91', MSG91_URL: 'http://127.0.0.1' },
      'MSG91_URL must begin with https',
    ],
  };
  for (const [name, [change, reason]] of Object.entries(cases)) {
    test(`${name} (R17)`, () => {
      const read = () => readConfig({ ...production, ...change });
      expect(read).toThrow(reason);
      expect(read).not.toThrow(goodKey);
    });
  }

  test('any of these: the process exits with status 1, prints the reason and not the key (R17)', () => {
    const { status, stderr } = runServer({ ...production, SMS_PROVIDER: 'pigeon', PHONE_INDEX_COST: '4' });
    expect(status).toBe(1);
    expect(stderr).toContain('SMS_PROVIDER must be');
    expect(stderr).toContain('PHONE_INDEX_COST');
    expect(stderr).not.toContain(goodKey);
  });
});

describe('without NODE_ENV', () => {
  for (const value of [undefined, '', 'staging', 'Development']) {
    test(`(${value ?? 'unset'}) the mode is production, with no key, code or limit of development (R17)`, () => {
      const unset = { ...production, NODE_ENV: value };
      expect(() => readConfig({ NODE_ENV: value })).toThrow(/MASTER_KEY is required/u);
      expect(() => readConfig(unset)).toThrow(/SMS_PROVIDER=outbox/u);
      const sms = { SMS_PROVIDER: 'msg91', MSG91_AUTH_KEY: 'key', MSG91_TEMPLATE_ID: 'flow' };
      expect(readConfig({ ...unset, ...sms })).toMatchObject({ isProduction: true, limitsScale: 1 });
    });
  }

  test('a server does not start on development defaults, and prints the reason (R17)', () => {
    const { status, stderr } = runServer({});
    expect(status).toBe(1);
    expect(stderr).toContain('NODE_ENV is not set, which means production');
  });

  test('only the values development and test select those modes', () => {
    for (const mode of ['development', 'test'])
      expect(readConfig({ NODE_ENV: mode })).toMatchObject({ isProduction: false, limitsScale: 20 });
  });
});

test('production accepts two providers, the preferred one first, and needs no settings of a third', () => {
  const { sms } = readConfig({
    ...production,
    SMS_PROVIDER: 'msg91, twilio',
    MSG91_AUTH_KEY: 'key',
    MSG91_TEMPLATE_ID: 'flow',
    TWILIO_ACCOUNT_SID: 'AC1',
    TWILIO_KEY_SECRET: 'secret',
    TWILIO_SENDER: 'MG1',
  });
  expect(sms.providers).toEqual(['msg91', 'twilio']);
  expect(sms.twilio.keySid).toBe('AC1');
  expect([sms.twilio.url.href, sms.msg91.url.href]).toEqual([
    'https://api.twilio.com/',
    'https://control.msg91.com/',
  ]);
});

test('production answers a vent no sooner than 200 ms after it came: its time must not tell whether it was held back', () => {
  const sms = { SMS_PROVIDER: 'msg91', MSG91_AUTH_KEY: 'key', MSG91_TEMPLATE_ID: 'flow' };
  for (const [asked, answered] of [
    [undefined, 200],
    ['0', 200],
    ['199', 200],
    ['500', 500],
  ] as const)
    expect(readConfig({ ...production, ...sms, VENT_ANSWER_MS: asked }).ventAnswerMs).toBe(answered);
});

test('the moderation console runs where it is named, and in development', () => {
  const sms = { SMS_PROVIDER: 'msg91', MSG91_AUTH_KEY: 'key', MSG91_TEMPLATE_ID: 'flow' };
  const usual = readConfig({ ...production, ...sms });
  expect([[...usual.services], usual.modOrigin]).toEqual([['api', 'worker'], null]);
  const named = readConfig({
    ...production,
    ...sms,
    ...consoleUrl,
    SERVICES: 'mod',
    MOD_ORIGIN: 'https://moderation.unsaid.example',
  });
  expect([[...named.services], named.modOrigin?.origin, named.modPort]).toEqual([
    ['mod'],
    'https://moderation.unsaid.example',
    3001,
  ]);
  const local = readConfig({ NODE_ENV: 'development', MOD_PORT: '4001' });
  expect([[...local.services], local.modOrigin?.origin]).toEqual([
    ['api', 'worker', 'mod'],
    'http://localhost:4001',
  ]);
  expect([...readConfig({ NODE_ENV: 'test' }).services]).toEqual(['api', 'worker']);
});

test('a process that serves no users needs no SMS provider in production, and holds none of its keys', () => {
  const { SMS_PROVIDER: _, ...without } = production;
  const env = { ...without, MOD_ORIGIN: 'https://moderation.unsaid.example' };
  for (const SERVICES of ['mod', 'worker', 'worker,mod']) {
    if (SERVICES.includes('mod')) Object.assign(env, consoleUrl);
    else Object.assign(env, { CONSOLE_DATABASE_URL: '' });
    const { sms, isConversionWatched } = readConfig({ ...env, SERVICES });
    expect([SERVICES, sms.providers, isConversionWatched]).toEqual([SERVICES, [], false]);
    // One file of settings may serve all processes.
    expect(readConfig({ ...env, SMS_PROVIDER: 'msg91', SERVICES }).sms.providers).toEqual([]);
  }
  for (const SERVICES of ['api', 'api,mod', 'api,worker'])
    expect(() => readConfig({ ...env, SERVICES })).toThrow('SMS_PROVIDER is required');
});

test('test numbers whose date has passed end, and keep nothing from starting', () => {
  const config = readConfig({
    ...production,
    ...{ SMS_PROVIDER: 'msg91', MSG91_AUTH_KEY: 'key', MSG91_TEMPLATE_ID: 'flow' },
    ...{ SMS_TEST_NUMBERS: '+15555550123=123456', SMS_TEST_NUMBERS_UNTIL: '2020-01-01' },
  });
  // The service compares it at each code (logins.test.ts).
  expect(config.testNumbersUntil).toBe(Date.parse('2020-01-01'));
});

test('a key ring has the key that wraps first, each with its id', () => {
  const other = Buffer.alloc(32, 9).toString('base64');
  const { masterKeys } = readConfig({ NODE_ENV: 'test', MASTER_KEYS: `2:${goodKey},1:${other}` });
  expect(masterKeys.map(({ id, bytes }) => [id, bytes.toString('base64')])).toEqual([
    [2, goodKey],
    [1, other],
  ]);
});

test('migrate and moderators without settings print one line, and no stack', () => {
  for (const name of ['migrate', 'moderators', 'keys', 'reports']) {
    const { status, stderr } = runScript(name, {});
    expect([name, status]).toEqual([name, 1]);
    expect(stderr).toMatch(/^Unsaid cannot start: .*DATABASE_URL is required.*\n$/u);
  }
  const { status, stderr } = runScript('migrate', {
    NODE_ENV: 'test',
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  });
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^Unsaid cannot migrate: .*ECONNREFUSED.*\n$/u),
  ]);
});

describe('the server does not start, and says in one line what to do, on a Redis that', () => {
  test.each([
    ['evicts when full (R54)', ['--maxmemory-policy', 'allkeys-lru'], 'maxmemory-policy noeviction'],
    ['is a cluster', ['--cluster-enabled', 'yes'], 'set REDIS_CLUSTER=true'],
    [
      'runs no scripts',
      ['--rename-command', 'EVAL', ''],
      "run scripts (EVAL, EVALSHA); it replied ERR unknown command 'eval'",
    ],
    ['asks for a password', [], 'accept the password in REDIS_URL'],
  ])('%s', async (what, options, line) => {
    // A cluster writes a file, and listens on a second port.
    const folder = mkdtempSync(join(tmpdir(), 'unsaid-redis-'));
    const redis = await startTempRedis([
      ...options,
      '--dir',
      folder,
      '--cluster-port',
      String(await freePort()),
    ]);
    onTestFinished(async () => {
      await redis.remove();
      rmSync(folder, { recursive: true });
    });
    if (what.includes('password')) redis.command('config', 'set', 'requirepass', 'secret');
    if (what.startsWith('evicts')) {
      const database = await createTestDatabase();
      onTestFinished(() => dropDatabase(database));
      const { status, stderr } = runServer({
        NODE_ENV: 'test',
        REDIS_URL: redis.url,
        DATABASE_URL: databaseUrl(database),
      });
      expect([status, stderr.trim().split('\n')]).toEqual([1, [expect.stringContaining(line)]]);
    }
    const store = await openRedis({
      url: redis.url,
      isCluster: false,
      prefix: '',
      timeoutMs: 10_000,
      logger: createLogger('silent'),
      metrics: createMetrics(),
    });
    onTestFinished(() => store.close());
    expect(await store.wrongKind()).toContain(line);
  });
});
