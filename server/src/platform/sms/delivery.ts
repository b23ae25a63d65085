import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import type { SmsMessage, SmsOutcome, SmsProvider } from './sms.ts';

/** Sends a message through the first provider that accepts it, and never through two. */
export type SmsDelivery = ReturnType<typeof createSmsDelivery>;

interface DeliveryDeps {
  /** In order of preference. */
  readonly providers: readonly SmsProvider[];
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** A second attempt often succeeds; more would keep the person waiting. */
const attemptsPerProvider = 2;
const pauseMs = 300;
/** A provider that failed is tried last for this long. */
const deprioritizedMs = 60_000;

export function createSmsDelivery({ providers, clock, metrics, logger }: DeliveryDeps) {
  const deprioritizedUntil = new Map<SmsProvider, number>();

  function byPreference(): SmsProvider[] {
    const isDeprioritized = (one: SmsProvider) => (deprioritizedUntil.get(one) ?? 0) > clock.now();
    return [...providers.filter((one) => !isDeprioritized(one)), ...providers.filter(isDeprioritized)];
  }

  async function attempt(provider: SmsProvider, message: SmsMessage): Promise<SmsOutcome> {
    const stopTimer = metrics.smsSeconds.startTimer({ provider: provider.name });
    // A provider should not throw. If one does, the message may have been sent.
    const outcome = await provider.send(message).catch((): SmsOutcome => 'unknown');
    stopTimer();
    metrics.smsAttempts.inc({ provider: provider.name, outcome });
    if (outcome === 'unavailable' || outcome === 'unknown') {
      deprioritizedUntil.set(provider, clock.now() + deprioritizedMs);
      logger.warn({ event: 'sms_attempt_failed', provider: provider.name, outcome });
    } else deprioritizedUntil.delete(provider);
    return outcome;
  }

  return {
    async deliver(message: SmsMessage): Promise<SmsOutcome> {
      let last: SmsOutcome = 'unavailable';
      for (const provider of byPreference()) {
        for (let attempts = 0; attempts < attemptsPerProvider; attempts += 1) {
          if (attempts > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
          last = await attempt(provider, message);
          // A message that may have been sent is not sent again. The person can request another code, which goes to a
          // provider that has not just failed.
          if (last === 'accepted' || last === 'unknown') return last;
          if (last === 'refused') break;
        }
      }
      return last;
    },
  };
}
