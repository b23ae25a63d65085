import { randomBytes } from 'node:crypto';
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
import { codeMessage, drawChallengeId, drawCode, hashCode, isChallengeOf, isSameHash } from './otp.codes.ts';
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

interface Caller {
  readonly phone: string;
  readonly purpose: OtpPurpose;
  readonly challengeId: string | null;
  readonly addressKey: string;
}

interface Asking extends Caller {
  readonly device: Device | null;
  /** A solved challenge, where one was asked for. */
  readonly pow: string | undefined;
}

interface Answering extends Caller {
  readonly otp: string;
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
  verify(answering: Answering): Promise<VerifiedNumber>;
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
  const challengeKey = () => keys.current('challenge/1').key;
  /** Where there is no code, an answer is compared with this, so that it takes as long. */
  const noChallenge = { id: '', hash: randomBytes(32) };

  /** What the number alone tells, and the challenge of the caller's own if they have asked for a code of it. */
  function meet({ phone: typed, challengeId }: Caller) {
    const { phone, country } = readPhone(typed, phoneRules);
    const phoneKey = opaque.name('phone', phone);
    const area: Area | null = country
      ? {
          country: opaque.name('country', country),
          prefix: opaque.name('prefix', phone.slice(0, -4)),
          isHome: country === deps.homeCountry,
        }
      : null;
    const isOwn = challengeId !== null && isChallengeOf(challengeKey(), phoneKey, challengeId);
    return { phone, phoneKey, area, ownChallengeId: isOwn ? challengeId : null };
  }

  function askForWork(scope: WorkScope, { size, reasons }: NonNullable<Taken['workDue']>): AppError {
    for (const reason of reasons) metrics.workAsked.inc({ reason });
    return new AppError('POW_REQUIRED', { challenge: work.challenge(scope, size) });
  }

  return {
    async send(asking) {
      const { phone, phoneKey, area, ownChallengeId } = meet(asking);
      const { purpose, addressKey } = asking;
      const workScope = { action: `send ${purpose}`, phoneKey };
      const challengeId = ownChallengeId ?? drawChallengeId(challengeKey(), phoneKey);
      const { refusal, workDue, inARow } = await budgets.takeSend({
        phoneKey,
        addressKey,
        challengeId,
        area,
        isKnownDevice: knowsNumber(keys.lasting('device/1'), asking.device, phone),
        done: await work.redeem(workScope, asking.pow),
      });
      if (refusal) throw refusalToSend(refusal, deps.logger);
      if (workDue) throw askForWork(workScope, workDue);
      const code = phoneRules.testCode(phone) ?? drawCode();
      const scope = { purpose, phoneKey, challengeId };
      await store.put(scope, { id: challengeId, hash: hashCode(codeKey(), scope, code) });
      await budgets.watchCeiling();
      return {
        challengeId,
        resendAfter: inARow >= gap.free ? limits.resendGapSeconds : 0,
        async deliver() {
          if (phoneRules.testCode(phone) !== undefined) return;
          const outcome = await sms.deliver({ to: phone, code, text: codeMessage(code, deps.host) });
          metrics.codesSent.inc({ outcome });
          if (outcome !== 'accepted') deps.logger.error({ event: 'sms_failed', outcome });
        },
      };
    },

    async verify(answering) {
      const { phone, phoneKey, area, ownChallengeId } = meet(answering);
      const scope = { purpose: answering.purpose, phoneKey };
      // Nothing here depends on the number or on what others do with it: whoever asks is told alike.
      if (ownChallengeId === null) {
        const refusal = await budgets.takeTryWithoutChallenge(answering.addressKey);
        if (refusal) throw tooManyCodes(refusal);
      }
      const challenge = await store.takeTry(scope, ownChallengeId);
      if (challenge) metrics.codeComparisons.inc();
      const { id, hash } = challenge ?? noChallenge;
      const given = hashCode(codeKey(), { ...scope, challengeId: id }, answering.otp);
      if (isSameHash(given, hash) && challenge && (await store.consume(scope, challenge))) {
        await budgets.noteVerified(area);
        metrics.codesVerified.inc({ outcome: 'right' });
        return { phone, phoneKey };
      }
      metrics.codesVerified.inc({ outcome: 'wrong' });
      await budgets.noteFailure();
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
