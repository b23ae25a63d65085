import { existsSync, readFileSync } from 'node:fs';
import { requestOtp } from '@unsaid/contract';
import { codeBudgets } from '../../../server/src/identity/otp/code-budgets.ts';
import { nothing, type Fault, type Judgement } from './fault.ts';
import type { SupervisedProcess } from './deployment.ts';

/** Code requests from many addresses: half for different numbers, half for one victim's. */

const perMinute = codeBudgets.sendsByService[0];
const perHour = codeBudgets.sendsPerNumber[0];
/** The rest is reserved for known devices. These addresses have none. */
const allowed = perMinute.limit - perMinute.reserved;

export interface CodeFlood {
  /** Sends requests, twenty at a time, each from a different address. */
  pour(count: number): Promise<void>;
  judge(): Judgement;
}

let floods = 0;

export function createCodeFlood({ port, outbox }: SupervisedProcess): CodeFlood {
  floods += 1;
  const victim = `+91970000${String(floods).padStart(4, '0')}`;
  const accepted: { readonly at: number; readonly phone: string }[] = [];
  const strange = new Set<number>();
  const countSent = () => (existsSync(outbox) ? readFileSync(outbox, 'utf8').split('\n').length - 1 : 0);
  const sentBefore = countSent();
  let asked = 0;

  async function ask(): Promise<void> {
    asked += 1;
    const other = `+9196${String((asked * 100_003 + floods) % 100_000_000).padStart(8, '0')}`;
    const phone = asked % 2 === 0 ? victim : other;
    const { status } = await fetch(`http://127.0.0.1:${port}${requestOtp.path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': `198.${18 + floods}.${(asked >> 8) & 255}.${asked & 255}`,
      },
      body: JSON.stringify({ phone }),
    });
    if (status === 200) accepted.push({ at: performance.now(), phone });
    // 428 demands proof of work, 429 is a rate limit, 503 means that the budget of this minute or day is spent.
    else if (![428, 429, 503].includes(status)) strange.add(status);
  }

  function mostWithin(windowMs: number, times: readonly number[]): number {
    return Math.max(
      0,
      ...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length),
    );
  }

  return {
    async pour(count) {
      for (let done = 0; done < count; done += 20) await Promise.all(Array.from({ length: 20 }, ask));
    },
    judge() {
      // A second less than the window: responses arrive a little later than they are counted.
      const all = mostWithin(
        (perMinute.windowSeconds - 1) * 1000,
        accepted.map(({ at }) => at),
      );
      const toVictim = accepted.filter(({ phone }) => phone === victim).length;
      const sent = countSent() - sentBefore;
      return {
        bypassed: Math.max(0, all - allowed) + Math.max(0, toVictim - perHour.limit),
        wrong: [
          ...[...strange].map((status) => `a code was answered with ${status}`),
          ...(sent > accepted.length ? [`${sent} codes left, ${accepted.length} were said to`] : []),
        ],
        note: `${asked} asked; within a minute ${all} sent of ${allowed} allowed, to one number ${toVictim} of ${perHour.limit}`,
      };
    },
  };
}

export function floodFault(strict: SupervisedProcess): Fault {
  const flood = createCodeFlood(strict);
  let pouring: Promise<void> = Promise.resolve();
  return {
    name: 'flood of codes, many addresses',
    begin() {
      pouring = flood.pour(600);
    },
    last: () => pouring,
    end: nothing,
    judge: () => flood.judge(),
  };
}
