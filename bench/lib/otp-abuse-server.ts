import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listCountries, requestOtp, verifyOtp, powMaxNumber, type PowChallenge } from '@unsaid/contract';
import { buildApp } from '../../server/src/app.ts';
import { otpMetrics } from '../../server/src/identity/otp/otp.metrics.ts';
import { readConfig } from '../../server/src/config.ts';
import { buildDeps } from '../../server/src/deps.ts';
import { buildFeatures } from '../../server/src/features.ts';
import { createLogger } from '../../server/src/platform/logger.ts';
import { migrate } from '../../server/src/platform/migrate.ts';
import { createFakeClock } from '../../server/test/fakes.ts';
import { mintWork, sizeOf } from '../../server/test/pow.ts';
import { deleteKeys, dropDatabase } from '../../testkit/leftovers.ts';
import { findServices, urlOfDatabase } from '../../tools/services.ts';

/** The real server in this process, with production limits and a fake clock. */

export interface Visitor {
  readonly address: string;
  readonly cookies: Map<string, string>;
  /** Expected number of hashes required of this visitor. */
  hashes: number;
  timesAsked: number;
}

/** Whether to do a proof of work where it is required. */
export type Willing = 'no' | 'asked';

export const newVisitor = (address: string): Visitor => ({
  address,
  cookies: new Map(),
  hashes: 0,
  timesAsked: 0,
});

export type OtpAbuseServer = Awaited<ReturnType<typeof startOtpAbuseServer>>;

export async function startOtpAbuseServer() {
  const services = findServices();
  const database = `unsaid_bench_otp_abuse_${process.pid}_${randomBytes(3).toString('hex')}`;
  const databaseUrl = urlOfDatabase(services.DATABASE_URL, database);
  const folder = mkdtempSync(join(tmpdir(), 'unsaid-bench-'));
  const clock = createFakeClock();
  const quiet = { write: () => undefined };
  await migrate(databaseUrl, createLogger('silent', quiet));
  const defaults = readConfig({
    ...process.env,
    ...services,
    NODE_ENV: 'test',
    DATABASE_URL: databaseUrl,
  });
  const deps = await buildDeps(
    {
      ...defaults,
      redisPrefix: `bench-${randomUUID()}:`,
      // Generous: a stall of a busy machine is not an outage of Redis.
      redisTimeoutMs: 5000,
      limitsScale: 1,
      phoneIndexCost: 4,
      smsCountries: ['IN'],
      isConversionWatched: true,
      sms: { ...defaults.sms, outboxFile: join(folder, 'outbox.jsonl') },
      logLevel: 'silent',
    },
    { clock, logDestination: quiet },
  );
  const { server } = await buildApp(deps, await buildFeatures(deps));
  await server.ready();

  async function post(path: string, { address, cookies }: Visitor, payload: object) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await server.inject({
      method: 'POST',
      url: path,
      payload,
      remoteAddress: address,
      headers: cookie ? { cookie } : {},
    });
    for (const { name, value } of answer.cookies) {
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return { status: answer.statusCode, challenge: readChallenge(answer.payload) };
  }

  /** The proof is minted and its cost added up, not computed: a day of an attack is billions of hashes. */
  async function ask(visitor: Visitor, phone: string, willing: Willing): Promise<number> {
    const { path } = requestOtp;
    const first = await post(path, visitor, { phone });
    if (first.status !== 428 || !first.challenge) return first.status;
    visitor.timesAsked += 1;
    if (willing === 'no') return 428;
    const size = sizeOf(first.challenge);
    visitor.hashes += powMaxNumber[size] / 2;
    return (await post(path, visitor, { phone, pow: mintWork(deps, phone, size) })).status;
  }

  const metrics = otpMetrics(deps.metrics);
  const count = async (metric: { get(): Promise<{ values: { value: number }[] }> }) =>
    (await metric.get()).values.reduce((sum, { value }) => sum + value, 0);

  return {
    clock,
    ask,
    /** A public call that costs little. */
    look: async ({ address }: Visitor) =>
      (await server.inject({ url: listCountries.path, remoteAddress: address })).statusCode,
    answer: async (visitor: Visitor, phone: string, otp: string) =>
      (await post(verifyOtp.path, visitor, { phone, otp })).status,
    async codeFor(phone: string): Promise<string> {
      await deps.backgroundDone();
      const message = deps.outbox.recent().find(({ to }) => to === phone);
      if (!message) throw new Error('accepted, but no message was sent');
      return message.code;
    },
    comparisons: () => count(metrics.codeComparisons),
    messages: () => count(metrics.codesSent),
    /** Whether an alert fires; see docs/operations.md. */
    async isAlarmed(): Promise<boolean> {
      const [trips, ceiling, failures] = await Promise.all([
        count(metrics.smsConversionLow),
        count(metrics.smsCeilingSpent),
        count(metrics.failedTriesSpent),
      ]);
      return trips > 0 || ceiling >= 0.5 || failures >= 1;
    },
    async close(): Promise<void> {
      await server.close();
      await deps.close();
      deleteKeys(services.REDIS_URL, deps.config.redisPrefix);
      dropDatabase(databaseUrl);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function readChallenge(text: string): PowChallenge | undefined {
  return (JSON.parse(text) as { challenge?: PowChallenge }).challenge;
}
