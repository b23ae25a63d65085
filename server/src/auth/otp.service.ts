import { limits, type OtpPurpose } from '@unsaid/contract';
import type { Clock } from '../platform/clock.ts';
import { AppError } from '../platform/errors.ts';
import type { Keys } from '../platform/keys.ts';
import { refusalError, type Limiter, type Refusal, type Taken } from '../platform/limiter.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Opaque } from '../platform/opaque.ts';
import type { RedisStore } from '../platform/redis.ts';
import type { SmsDelivery } from '../platform/sms/delivery.ts';
import { createConversionStore } from './conversion.store.ts';
import { type Device, knowsNumber } from './devices.ts';
import { createOtpBudgets, gap, type Area } from './otp.budgets.ts';
import { codeMessage, drawChallengeId, drawCode, hashCode, isSameHash } from './otp.codes.ts';
import { createOtpStore } from './otp.store.ts';
import { readPhone, type PhoneRules } from './phone.ts';
import { createWorkService, type WorkScope } from './work.service.ts';

export interface OtpDeps {
  readonly clock: Clock;
  readonly keys: Keys;
  readonly limiter: Limiter;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly opaque: Opaque;
  readonly redis: RedisStore;
  readonly sms: SmsDelivery;
  readonly phoneRules: PhoneRules;
  /** Where most people are; codes to other countries have smaller budgets. */
  readonly homeCountry: string;
  readonly isConversionWatched: boolean;
  readonly limitsScale: number;
  readonly host: string;
}

interface Asking {
  readonly phone: string;
  readonly purpose: OtpPurpose;
  readonly device: Device | null;
  readonly challengeId: string | null;
  readonly addressKey: string;
  /** A solved challenge, where one was asked for. */
  readonly pow: string | undefined;
}

interface Sent {
  readonly challengeId: string;
  readonly resendAfter: number;
  /** Hands the message over. Run after the answer, so that the provider's pace is not visible. */
  deliver(): Promise<void>;
}

export interface VerifiedNumber {
  /** E.164, in memory only. */
  readonly phone: string;
  readonly phoneKey: string;
}

export interface OtpService {
  send(asking: Asking): Promise<Sent>;
  /** Resolves for one right answer to a live code, and throws the same error for everything else. */
  verify(asking: Asking & { readonly otp: string }): Promise<VerifiedNumber>;
}

export function createOtpService(deps: OtpDeps): OtpService {
  const { keys, metrics, opaque, sms, phoneRules } = deps;
  const store = createOtpStore(deps.redis, deps.clock);
  const work = createWorkService(deps);
  const budgets = createOtpBudgets({
    ...deps,
    conversion: deps.isConversionWatched
      ? createConversionStore(deps.redis, deps.clock, deps.limitsScale)
      : null,
  });
  const codeKey = () => keys.current('otp/1').key;

  /** Everything that the asking alone tells, and the work that came with it. */
  async function meet(call: 'send' | 'verify', asking: Asking) {
    const { phone, country } = readPhone(asking.phone, phoneRules);
    const phoneKey = opaque.name('phone', phone);
    const area: Area | null = country
      ? {
          country: opaque.name('country', country),
          prefix: opaque.name('prefix', phone.slice(0, -4)),
          isHome: country === deps.homeCountry,
        }
      : null;
    const scope: WorkScope = { action: `${call} ${asking.purpose}`, phoneKey };
    return {
      phone,
      phoneKey,
      area,
      scope,
      addressKey: asking.addressKey,
      isKnownDevice: knowsNumber(keys.lasting('device/1'), asking.device, phone),
      done: await work.redeem(scope, asking.pow),
    };
  }

  function askForWork(scope: WorkScope, { size, reasons }: NonNullable<Taken['workDue']>): AppError {
    for (const reason of reasons) metrics.workAsked.inc({ reason });
    return new AppError('POW_REQUIRED', { challenge: work.challenge(scope, size) });
  }

  return {
    async send(asking) {
      const asker = await meet('send', asking);
      const { phone, phoneKey, isKnownDevice } = asker;
      const { refusal, workDue, inARow } = await budgets.takeSend(asker);
      if (refusal) throw refusalToSend(refusal, deps.logger);
      if (workDue) throw askForWork(asker.scope, workDue);
      const code = phoneRules.testCode(phone) ?? drawCode();
      const scope = {
        purpose: asking.purpose,
        phoneKey,
        challengeId: asking.challengeId ?? drawChallengeId(),
      };
      await store.put(scope, {
        id: scope.challengeId,
        hash: hashCode(codeKey(), scope, code),
        isKnownDevice,
      });
      await budgets.watchCeiling();
      return {
        challengeId: scope.challengeId,
        resendAfter: inARow >= gap.free ? limits.resendGapSeconds : 0,
        async deliver() {
          if (phoneRules.testCode(phone) !== undefined) return;
          const outcome = await sms.deliver({ to: phone, code, text: codeMessage(code, deps.host) });
          metrics.codesSent.inc({ outcome });
          if (outcome !== 'accepted') deps.logger.error({ event: 'sms_failed', outcome });
        },
      };
    },

    async verify(asking) {
      const asker = await meet('verify', asking);
      const { phone, phoneKey } = asker;
      const { purpose } = asking;
      const attempt = await budgets.takeTry(asker);
      if (attempt.refusal) throw tooManyCodes(attempt.refusal);
      if (attempt.workDue) throw askForWork(asker.scope, attempt.workDue);
      const challenge = await store.takeTry({ purpose, phoneKey }, asking.challengeId);
      if (challenge) {
        metrics.codeComparisons.inc();
        const given = hashCode(codeKey(), { purpose, phoneKey, challengeId: challenge.id }, asking.otp);
        if (isSameHash(given, challenge.hash) && (await store.consume({ purpose, phoneKey }, challenge))) {
          await Promise.all([attempt.refund(), budgets.noteVerified(asker)]);
          metrics.codesVerified.inc({ outcome: 'right' });
          return { phone, phoneKey };
        }
      }
      metrics.codesVerified.inc({ outcome: 'wrong' });
      await budgets.watchFailures();
      throw new AppError('OTP_INVALID');
    },
  };
}

function tooManyCodes(refusal: Refusal): AppError {
  return refusalError('OTP_RATE_LIMITED', refusal);
}

function refusalToSend(refusal: Refusal, logger: Logger): AppError {
  if (refusal.budget !== 'sendsByService') return tooManyCodes(refusal);
  logger.error({ event: 'sms_ceiling_reached', budget: refusal.budget });
  return refusalError('SMS_UNAVAILABLE', refusal);
}
