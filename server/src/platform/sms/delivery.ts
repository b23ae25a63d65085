import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import type { SmsMessage, SmsOutcome, SmsProvider } from './sms.ts';

/** One message out through whichever provider takes it, and never through two. */
export interface SmsDelivery {
  deliver(message: SmsMessage): Promise<SmsOutcome>;
}

interface DeliveryDeps {
  /** In the order in which they are preferred. */
  readonly providers: readonly SmsProvider[];
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** A connection that failed once often stands the second time; more would keep a person waiting. */
const triesEach = 2;
const pauseMs = 300;
/** A provider that did not answer well goes to the end of the row for so long. */
const restMs = 60_000;

export function createSmsDelivery({ providers, clock, metrics, logger }: DeliveryDeps): SmsDelivery {
  const restsUntil = new Map<SmsProvider, number>();

  function inOrder(): SmsProvider[] {
    const isResting = (one: SmsProvider) => (restsUntil.get(one) ?? 0) > clock.now();
    return [...providers.filter((one) => !isResting(one)), ...providers.filter(isResting)];
  }

  async function attempt(provider: SmsProvider, message: SmsMessage): Promise<SmsOutcome> {
    const took = metrics.smsSeconds.startTimer({ provider: provider.name });
    // A provider should not throw; if one does, the message may be on its way.
    const outcome = await provider.send(message).catch((): SmsOutcome => 'unknown');
    took();
    metrics.smsAttempts.inc({ provider: provider.name, outcome });
    if (outcome === 'unavailable' || outcome === 'unknown') {
      restsUntil.set(provider, clock.now() + restMs);
      logger.warn({ event: 'sms_attempt_failed', provider: provider.name, outcome });
    } else restsUntil.delete(provider);
    return outcome;
  }

  return {
    async deliver(message) {
      let last: SmsOutcome = 'unavailable';
      for (const provider of inOrder()) {
        for (let tries = 0; tries < triesEach; tries += 1) {
          if (tries > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
          last = await attempt(provider, message);
          // What may be on its way is not sent again. Whoever waits in vain can ask for another code, and that
          // one goes to the provider that is not resting.
          if (last === 'accepted' || last === 'unknown') return last;
          if (last === 'refused') break;
        }
      }
      return last;
    },
  };
}
