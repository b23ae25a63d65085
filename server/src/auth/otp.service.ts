import { limits, type OtpPurpose } from '@unsaid/contract';
import type { Clock } from '../platform/clock.ts';
import { AppError } from '../platform/errors.ts';
import type { Keys } from '../platform/keys.ts';
import { refusalError, type Limiter, type Refusal } from '../platform/limiter.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Opaque } from '../platform/opaque.ts';
import type { RedisStore } from '../platform/redis.ts';
import type { SmsDelivery } from '../platform/sms/delivery.ts';
import { type Device, knowsNumber } from './devices.ts';
import { codeMessage, drawChallengeId, drawCode, hashCode, isSameHash } from './otp.codes.ts';
import { createOtpStore } from './otp.store.ts';
import { normalisePhone, type PhoneRules } from './phone.ts';

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
  readonly host: string;
}

interface Asking {
  readonly phone: string;
  readonly purpose: OtpPurpose;
  readonly device: Device | null;
  readonly challengeId: string | null;
  readonly addressKey: string;
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

const gap = { free: 2, gapMs: limits.resendGapSeconds * 1000, forgetMs: limits.otpLifeSeconds * 1000 };

export function createOtpService(deps: OtpDeps): OtpService {
  const { keys, limiter, metrics, opaque, sms, phoneRules } = deps;
  const store = createOtpStore(deps.redis, deps.clock);
  const codeKey = () => keys.current('otp/1').key;
  const deviceKey = () => keys.lasting('device/1');

  function identify(typed: string): VerifiedNumber {
    const phone = normalisePhone(typed, phoneRules);
    return { phone, phoneKey: opaque.name('phone', phone) };
  }

  async function takeSend(phoneKey: string, addressKey: string, isKnownDevice: boolean) {
    const shared = [
      { budget: 'sendsPerAddress', subject: addressKey },
      { budget: 'sendsByService', subject: 'all' },
    ] as const;
    const byNumber = await limiter.takeFromWindows(
      [{ budget: 'sendsPerNumber', subject: phoneKey }, ...shared],
      { subject: phoneKey, ...gap },
    );
    const isRefusedByNumber =
      byNumber.refusal && ['sendsPerNumber', 'spacing'].includes(byNumber.refusal.budget);
    if (!isRefusedByNumber || !isKnownDevice) return byNumber;
    // Strangers may have used up the number's budget; a device that belongs to it has one of its own.
    return limiter.takeFromWindows([{ budget: 'sendsPerKnownDevice', subject: phoneKey }, ...shared], {
      subject: `device:${phoneKey}`,
      ...gap,
    });
  }

  async function watchCeiling(): Promise<void> {
    metrics.smsCeilingSpent.set(await limiter.usedShare({ budget: 'sendsByService', subject: 'all' }));
  }

  return {
    async send({ phone: typed, purpose, device, challengeId, addressKey }) {
      const { phone, phoneKey } = identify(typed);
      const isKnownDevice = knowsNumber(deviceKey(), device, phone);
      const { refusal, inARow } = await takeSend(phoneKey, addressKey, isKnownDevice);
      if (refusal) throw refusalToSend(refusal, deps.logger);
      const code = phoneRules.testCode(phone) ?? drawCode();
      const scope = { purpose, phoneKey, challengeId: challengeId ?? drawChallengeId() };
      await store.put(scope, {
        id: scope.challengeId,
        hash: hashCode(codeKey(), scope, code),
        isKnownDevice,
      });
      await watchCeiling();
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

    async verify({ phone: typed, otp, purpose, device, challengeId, addressKey }) {
      const { phone, phoneKey } = identify(typed);
      const isKnownDevice = knowsNumber(deviceKey(), device, phone);
      const row = { budget: 'failuresInARow', subject: phoneKey } as const;
      // Taken as a failure first and given back on success: parallel guesses cannot slip past the count.
      const attempt = await limiter.takeFromWindows([
        { budget: 'failuresPerAddress', subject: addressKey },
        isKnownDevice ? { budget: 'failuresPerKnownDevice', subject: phoneKey } : row,
      ]);
      if (attempt.refusal) throw tooManyCodes(attempt.refusal);
      const challenge = await store.takeTry({ purpose, phoneKey }, challengeId);
      if (challenge) {
        metrics.codeComparisons.inc();
        const given = hashCode(codeKey(), { purpose, phoneKey, challengeId: challenge.id }, otp);
        if (isSameHash(given, challenge.hash) && (await store.consume({ purpose, phoneKey }, challenge))) {
          await Promise.all([attempt.refund(), limiter.forgetWindow(row)]);
          metrics.codesVerified.inc({ outcome: 'right' });
          return { phone, phoneKey };
        }
      }
      metrics.codesVerified.inc({ outcome: 'wrong' });
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
