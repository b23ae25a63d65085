import { randomBytes } from 'node:crypto';
import { limits, type OtpPurpose } from '@unsaid/contract';
import { AppError } from '../../platform/errors.ts';
import { rejectionError, type Rejection } from '../../platform/limiter.ts';
import { knowsNumber, type Device } from '../accounts/devices.ts';
import type { IdentityContext } from '../context.ts';
import type { ConsumeResult } from './code-limiter.ts';
import {
  codeMessage,
  createChallengeId,
  hashCode,
  isChallengeOf,
  isSameHash,
  randomCode,
  useOf,
} from './codes.ts';
import { otpMetrics } from './otp.metrics.ts';
import { readPhone, type PhoneRules } from './phone.ts';
import { createWorkChallenge, consumeSolution, type PowScope } from './proof-of-work.ts';
import * as budgets from './send-budgets.ts';

interface NumberRequest {
  readonly phone: string;
  readonly purpose: OtpPurpose;
  readonly challengeId: string | null;
  readonly addressKey: string;
  readonly networkKey: string;
}

interface CodeRequest extends NumberRequest {
  readonly device: Device | null;
  /** The solution of a proof-of-work challenge. */
  readonly pow?: string | undefined;
}

interface CodeAnswer extends NumberRequest {
  readonly otp: string;
}

interface Sent {
  readonly challengeId: string;
  readonly resendAfter: number;
  /** Sends the SMS. Runs after the response, so that the provider's latency is not visible. */
  deliver(): Promise<void>;
}

export interface VerifiedNumber {
  /** E.164, in memory only. */
  readonly phone: string;
  readonly phoneKey: string;
}

const phoneRulesOf = ({ clock, settings }: IdentityContext): PhoneRules => ({
  countries: settings.smsCountries,
  testCode: (typed) =>
    clock.now() < settings.testNumbersUntil ? settings.testNumbers.get(typed) : undefined,
});

/** Parses the number, and checks whether the caller's challenge id was issued for it. */
function resolveRequest(
  ctx: IdentityContext,
  { phone: typed, challengeId }: Pick<NumberRequest, 'phone' | 'challengeId'>,
) {
  const { keys, redisCrypto, settings } = ctx;
  const { phone, country } = readPhone(typed, phoneRulesOf(ctx));
  const phoneKey = redisCrypto.keyedHash('phone', phone);
  /** Codes to other countries have smaller budgets. */
  const homeCountry = settings.smsCountries === 'all' ? 'IN' : (settings.smsCountries[0] ?? 'IN');
  const region: budgets.NumberRegion | null = country
    ? {
        country: redisCrypto.keyedHash('country', country),
        prefix: redisCrypto.keyedHash('prefix', phone.slice(0, -4)),
        isHome: country === homeCountry,
      }
    : null;
  const isOwn =
    challengeId !== null && keys.ring('challenge/1').some((key) => isChallengeOf(key, phoneKey, challengeId));
  return { phone, phoneKey, region, ownChallengeId: isOwn ? challengeId : null };
}

export async function sendCode(ctx: IdentityContext, request: CodeRequest): Promise<Sent> {
  const { keys } = ctx;
  const { phone, phoneKey, region, ownChallengeId } = resolveRequest(ctx, request);
  const { purpose, addressKey, networkKey } = request;
  const powScope = { action: `send ${purpose}`, phoneKey };
  const challengeId = ownChallengeId ?? createChallengeId(keys.ring('challenge/1')[0], phoneKey);
  const { rejection, powRequired, consecutive } = await budgets.consumeSend(ctx, {
    phoneKey,
    addressKey,
    networkKey,
    challengeId,
    region,
    isKnownDevice: knowsNumber(keys.of('device/1'), request.device, phone),
    powGiven: await consumeSolution(ctx, powScope, request.pow),
  });
  if (rejection) throw sendRejected(ctx, rejection);
  if (powRequired) throw powRequiredError(ctx, powScope, powRequired);
  const code = phoneRulesOf(ctx).testCode(phone) ?? randomCode();
  const scope = { purpose, phoneKey, challengeId };
  const hash = hashCode(keys.ring('otp/1')[0], scope, code);
  await ctx.challenges.put(scope, { id: challengeId, hash });
  await budgets.reportSmsCeiling(ctx);
  return {
    challengeId,
    resendAfter: consecutive >= budgets.resendCooldown.free ? limits.resendGapSeconds : 0,
    deliver: () => deliver(ctx, phone, code, purpose),
  };
}

async function deliver(
  ctx: IdentityContext,
  phone: string,
  code: string,
  purpose: OtpPurpose,
): Promise<void> {
  if (phoneRulesOf(ctx).testCode(phone) !== undefined) return;
  const use = useOf(purpose);
  const text = codeMessage(code, use, ctx.settings.publicOrigin.hostname);
  const outcome = await ctx.ports.sms.deliver({ to: phone, code, use, text });
  otpMetrics(ctx.metrics).codesSent.inc({ outcome });
  if (outcome !== 'accepted') ctx.logger.error({ event: 'sms_failed', outcome });
}

/** The number as `verifyCode` returns it. Throws for what is none. */
export function readNumber(ctx: IdentityContext, typed: string): VerifiedNumber {
  const { phone, phoneKey } = resolveRequest(ctx, { phone: typed, challengeId: null });
  return { phone, phoneKey };
}

/** Compared with where there is no live code, so that the timing is the same. */
const noChallenge = { id: '', hash: randomBytes(32) };

/** Resolves once per live code, for a correct attempt. Throws the same error in every other case. */
export async function verifyCode(ctx: IdentityContext, answer: CodeAnswer): Promise<VerifiedNumber> {
  const metrics = otpMetrics(ctx.metrics);
  const { phone, phoneKey, region, ownChallengeId } = resolveRequest(ctx, answer);
  const scope = { purpose: answer.purpose, phoneKey };
  // No oracle: nothing here depends on the number or on what others do with it.
  if (ownChallengeId === null) {
    const rejection = await budgets.consumeAttempt(ctx, answer.addressKey);
    if (rejection) throw tooManyCodes(rejection);
  }
  const challenge = await ctx.challenges.consumeAttempt(scope, ownChallengeId);
  if (challenge) metrics.codeComparisons.inc();
  const { id, hash } = challenge ?? noChallenge;
  const isCorrect = ctx.keys
    .ring('otp/1')
    .some((key) => isSameHash(hashCode(key, { ...scope, challengeId: id }, answer.otp), hash));
  if (isCorrect && challenge && (await ctx.challenges.consume(scope, challenge))) {
    await budgets.recordVerified(ctx, region);
    metrics.codesVerified.inc({ outcome: 'correct' });
    return { phone, phoneKey };
  }
  metrics.codesVerified.inc({ outcome: 'wrong' });
  await budgets.recordFailure(ctx);
  throw new AppError('OTP_INVALID');
}

function powRequiredError(
  ctx: IdentityContext,
  scope: PowScope,
  { size, reasons }: NonNullable<ConsumeResult['powRequired']>,
): AppError {
  for (const reason of reasons) otpMetrics(ctx.metrics).powRequired.inc({ reason });
  return new AppError('POW_REQUIRED', { challenge: createWorkChallenge(ctx, scope, size) });
}

function tooManyCodes(rejection: Rejection): AppError {
  return rejectionError('OTP_RATE_LIMITED', rejection);
}

function sendRejected({ logger }: IdentityContext, rejection: Rejection): AppError {
  if (rejection.budget !== 'sendsByService') return tooManyCodes(rejection);
  logger.error({ event: 'sms_ceiling_reached', budget: rejection.budget });
  return rejectionError('SMS_UNAVAILABLE', rejection);
}
