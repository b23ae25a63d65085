import { limits, type PowDifficulty } from '@unsaid/contract';
import type { Rejection } from '../../platform/limiter.ts';
import type { IdentityContext } from '../context.ts';
import type { ConsumeResult } from './code-limiter.ts';
import { otpMetrics } from './otp.metrics.ts';
import type { ConversionState, ConversionStore } from './sms-conversion.store.ts';

/** The budgets that sending and verifying a code consume, and the extra budget of a known device. */

interface LimitSubject {
  readonly phoneKey: string;
  readonly addressKey: string;
  readonly networkKey: string;
  /** The challenge that the code will belong to. */
  readonly challengeId: string;
  /** Null for a test number, to which no SMS is sent. */
  readonly region: NumberRegion | null;
  readonly isKnownDevice: boolean;
  /** The proof of work in the request. */
  readonly powGiven: PowDifficulty | null;
}

export interface NumberRegion {
  readonly country: string;
  readonly prefix: string;
  readonly isHome: boolean;
}

export const resendCooldown = {
  free: 2,
  cooldownMs: limits.resendGapSeconds * 1000,
  resetAfterMs: limits.otpLifeSeconds * 1000,
};

export async function consumeSend(ctx: IdentityContext, subject: LimitSubject): Promise<ConsumeResult> {
  const taken = await consumeOwnOrShared(ctx, subject);
  if (!taken.rejection && !taken.powRequired)
    await readConversion(ctx, subject.region, (store, subjects) => store.count('sent', subjects));
  return taken;
}

async function consumeOwnOrShared(ctx: IdentityContext, subject: LimitSubject): Promise<ConsumeResult> {
  const { phoneKey, addressKey, networkKey, challengeId, region, isKnownDevice, powGiven } = subject;
  // Keyed by the caller's own challenge: the cooldown must not reveal how often others request codes for this number.
  const cooldown = { subject: challengeId, ...resendCooldown };
  if (isKnownDevice) {
    // First, so that it needs nothing that strangers can use up, and leaves what is shared to newcomers at its address.
    const own = await ctx.codeLimiter.consume(
      [
        { budget: 'sendsPerKnownDevice', subject: phoneKey },
        { budget: 'sendsByService', subject: 'all', useReserve: true },
      ],
      { cooldown },
    );
    if (!own.rejection || own.rejection.budget === 'cooldown') return own;
  }
  const toCountry = region?.isHome ? 'sendsToHomeCountry' : 'sendsToOtherCountry';
  return ctx.codeLimiter.consume(
    [
      { budget: 'sendsPerNumber', subject: phoneKey, isToldLast: true },
      { budget: 'sendsPerAddress', subject: addressKey },
      ...(region
        ? ([
            { budget: 'sendsPerPrefix', subject: region.prefix },
            { budget: toCountry, subject: region.country },
          ] as const)
        : []),
      { budget: 'sendsByService', subject: 'all' },
      // Wrong attempts and new accounts cost proof of work here, when a code is requested; verifying never does.
      { budget: 'failuresByService', subject: 'all', peek: true },
      { budget: 'newAccountsPerAddress', subject: addressKey, peek: true },
      { budget: 'newAccountsPerNetwork', subject: networkKey, peek: true },
    ],
    { cooldown, powGiven, powRequired: await lowConversionReason(ctx, region) },
  );
}

const scopes = ['country', 'prefix'] as const;

async function readConversion(
  { conversion, metrics, logger }: IdentityContext,
  region: NumberRegion | null,
  ask: (store: ConversionStore, subjects: readonly string[]) => Promise<ConversionState[]>,
): Promise<ConversionState[]> {
  if (!conversion || !region) return [];
  const states = await ask(
    conversion,
    scopes.map((scope) => region[scope]),
  );
  for (const [index, scope] of scopes.entries()) {
    if (states[index] !== 'opened') continue;
    otpMetrics(metrics).smsConversionLow.inc({ scope });
    logger.warn({ event: 'sms_conversion_low', outcome: scope });
  }
  return states;
}

async function lowConversionReason(ctx: IdentityContext, region: NumberRegion | null) {
  const states = await readConversion(ctx, region, (store, subjects) => store.read(subjects));
  const scope = scopes.find((_, index) => states[index] === 'open' || states[index] === 'opened');
  return scope ? ({ reason: `conversion by ${scope}`, work: 'usual' } as const) : null;
}

/** For an attempt by a caller without the challenge cookie. */
export async function consumeAttempt(ctx: IdentityContext, addressKey: string): Promise<Rejection | null> {
  const { rejection } = await ctx.codeLimiter.consume([
    { budget: 'triesWithoutChallengePerAddress', subject: addressKey },
  ]);
  return rejection;
}

export async function recordVerified(ctx: IdentityContext, region: NumberRegion | null): Promise<void> {
  await readConversion(ctx, region, (store, subjects) => store.count('verified', subjects));
}

/** Counts every wrong attempt, whether or not there was a code: otherwise the count would reveal live codes. */
export async function recordFailure(ctx: IdentityContext): Promise<void> {
  const failures = { budget: 'failuresByService', subject: 'all' } as const;
  await ctx.codeLimiter.consume([failures], { powGiven: 'any' });
  const share = await ctx.codeLimiter.usageRatio(failures);
  otpMetrics(ctx.metrics).failedTriesSpent.set(share);
  ctx.spendingAlerts.failures(share);
}

export async function reportSmsCeiling(ctx: IdentityContext): Promise<void> {
  const share = await ctx.codeLimiter.usageRatio({ budget: 'sendsByService', subject: 'all' });
  otpMetrics(ctx.metrics).smsCeilingSpent.set(share);
  ctx.spendingAlerts.smsCeiling(share);
}
