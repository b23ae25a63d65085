import type { IdentityBase } from '../../kernel/base.ts';
import { randomBytes } from 'node:crypto';
import { limits, type OtpPurpose } from '@unsaid/contract';
import { AppError } from '../../platform/errors.ts';
import { rejectionError, type Rejection } from '../../platform/limiter.ts';
import type { Logger } from '../../platform/logger.ts';
import type { SmsDelivery } from '../../platform/sms/delivery.ts';
import { withCeiling, type SmsCeiling } from './code-budgets.ts';
import { createCodeLimiter, type ConsumeResult } from './code-limiter.ts';
import { createConversionStore } from './sms-conversion.store.ts';
import { type Device, knowsNumber } from '../accounts/devices.ts';
import { createOtpBudgets, resendCooldown, type NumberRegion } from './send-budgets.ts';
import {
  codeMessage,
  createChallengeId,
  randomCode,
  hashCode,
  isChallengeOf,
  isSameHash,
  useOf,
} from './codes.ts';
import { otpMetrics } from './otp.metrics.ts';
import { createOtpStore } from './otp.store.ts';
import { readPhone, type PhoneRules } from './phone.ts';
import { createProofOfWork, type PowScope } from './proof-of-work.ts';

export interface OtpDeps extends Pick<
  IdentityBase,
  'clock' | 'keys' | 'limiter' | 'logger' | 'metrics' | 'redisCrypto' | 'redis'
> {
  readonly sms: SmsDelivery;
  readonly settings: OtpSettings;
}

/** As in the configuration. */
export interface OtpSettings {
  readonly smsCountries: readonly string[] | 'all';
  readonly testNumbers: ReadonlyMap<string, string>;
  readonly testNumbersUntil: number;
  readonly isConversionWatched: boolean;
  readonly limitsScale: number;
  readonly smsCeiling: SmsCeiling;
  readonly publicOrigin: URL;
}

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

export interface OtpService {
  send(request: CodeRequest): Promise<Sent>;
  /** Resolves once per live code, for a correct attempt. Throws the same error in every other case. */
  verify(answer: CodeAnswer): Promise<VerifiedNumber>;
  /** The number as `verify` returns it. Throws for what is none. */
  readNumber(typed: string): VerifiedNumber;
}

export function createOtpService(deps: OtpDeps): OtpService {
  const { keys, redisCrypto, sms, settings } = deps;
  const { smsCountries, testNumbers, testNumbersUntil, publicOrigin } = settings;
  /** Codes to other countries have smaller budgets. */
  const homeCountry = smsCountries === 'all' ? 'IN' : (smsCountries[0] ?? 'IN');
  const phoneRules: PhoneRules = {
    countries: smsCountries,
    testCode: (typed) => (deps.clock.now() < testNumbersUntil ? testNumbers.get(typed) : undefined),
  };
  const metrics = otpMetrics(deps.metrics);
  const store = createOtpStore(deps);
  const proofOfWork = createProofOfWork(deps);
  const budgets = createOtpBudgets({
    ...deps,
    limiter: createCodeLimiter(deps.limiter, withCeiling(settings.smsCeiling)),
    conversion: settings.isConversionWatched ? createConversionStore(deps, settings.limitsScale) : null,
  });
  const codeKeys = () => keys.ring('otp/1');
  const challengeKeys = () => keys.ring('challenge/1');
  /** Compared with where there is no live code, so that the timing is the same. */
  const noChallenge = { id: '', hash: randomBytes(32) };

  /** Parses the number, and checks whether the caller's challenge id was issued for it. */
  function resolveRequest({ phone: typed, challengeId }: Pick<NumberRequest, 'phone' | 'challengeId'>) {
    const { phone, country } = readPhone(typed, phoneRules);
    const phoneKey = redisCrypto.keyedHash('phone', phone);
    const region: NumberRegion | null = country
      ? {
          country: redisCrypto.keyedHash('country', country),
          prefix: redisCrypto.keyedHash('prefix', phone.slice(0, -4)),
          isHome: country === homeCountry,
        }
      : null;
    const isOwn =
      challengeId !== null && challengeKeys().some((key) => isChallengeOf(key, phoneKey, challengeId));
    return { phone, phoneKey, region, ownChallengeId: isOwn ? challengeId : null };
  }

  function powRequiredError(
    scope: PowScope,
    { size, reasons }: NonNullable<ConsumeResult['powRequired']>,
  ): AppError {
    for (const reason of reasons) metrics.powRequired.inc({ reason });
    return new AppError('POW_REQUIRED', { challenge: proofOfWork.challenge(scope, size) });
  }

  return {
    async send(request) {
      const { phone, phoneKey, region, ownChallengeId } = resolveRequest(request);
      const { purpose, addressKey, networkKey } = request;
      const powScope = { action: `send ${purpose}`, phoneKey };
      const challengeId = ownChallengeId ?? createChallengeId(challengeKeys()[0], phoneKey);
      const { rejection, powRequired, consecutive } = await budgets.consumeSend({
        phoneKey,
        addressKey,
        networkKey,
        challengeId,
        region,
        isKnownDevice: knowsNumber(keys.of('device/1'), request.device, phone),
        powGiven: await proofOfWork.verify(powScope, request.pow),
      });
      if (rejection) throw sendRejected(rejection, deps.logger);
      if (powRequired) throw powRequiredError(powScope, powRequired);
      const code = phoneRules.testCode(phone) ?? randomCode();
      const scope = { purpose, phoneKey, challengeId };
      await store.put(scope, { id: challengeId, hash: hashCode(codeKeys()[0], scope, code) });
      await budgets.reportSmsCeiling();
      return {
        challengeId,
        resendAfter: consecutive >= resendCooldown.free ? limits.resendGapSeconds : 0,
        async deliver() {
          if (phoneRules.testCode(phone) !== undefined) return;
          const outcome = await sms.deliver({
            to: phone,
            code,
            use: useOf(purpose),
            text: codeMessage(code, useOf(purpose), publicOrigin.hostname),
          });
          metrics.codesSent.inc({ outcome });
          if (outcome !== 'accepted') deps.logger.error({ event: 'sms_failed', outcome });
        },
      };
    },

    readNumber(typed) {
      const { phone, phoneKey } = resolveRequest({ phone: typed, challengeId: null });
      return { phone, phoneKey };
    },

    async verify(answer) {
      const { phone, phoneKey, region, ownChallengeId } = resolveRequest(answer);
      const scope = { purpose: answer.purpose, phoneKey };
      // No oracle: nothing here depends on the number or on what others do with it.
      if (ownChallengeId === null) {
        const rejection = await budgets.consumeAttempt(answer.addressKey);
        if (rejection) throw tooManyCodes(rejection);
      }
      const challenge = await store.consumeAttempt(scope, ownChallengeId);
      if (challenge) metrics.codeComparisons.inc();
      const { id, hash } = challenge ?? noChallenge;
      const isCorrect = codeKeys().some((key) =>
        isSameHash(hashCode(key, { ...scope, challengeId: id }, answer.otp), hash),
      );
      if (isCorrect && challenge && (await store.consume(scope, challenge))) {
        await budgets.recordVerified(region);
        metrics.codesVerified.inc({ outcome: 'correct' });
        return { phone, phoneKey };
      }
      metrics.codesVerified.inc({ outcome: 'wrong' });
      await budgets.recordFailure();
      throw new AppError('OTP_INVALID');
    },
  };
}

function tooManyCodes(rejection: Rejection): AppError {
  return rejectionError('OTP_RATE_LIMITED', rejection);
}

function sendRejected(rejection: Rejection, logger: Logger): AppError {
  if (rejection.budget !== 'sendsByService') return tooManyCodes(rejection);
  logger.error({ event: 'sms_ceiling_reached', budget: rejection.budget });
  return rejectionError('SMS_UNAVAILABLE', rejection);
}
