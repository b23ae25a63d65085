import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { limits, requestOtp } from '@unsaid/contract';
import { expiryStepMs } from '../../../server/src/platform/clock.ts';
import type { TempRedis } from '../../../testkit/temp-redis.ts';
import { waitUntil } from '../../../testkit/wait-until.ts';
import { createCodeFlood } from './code-flood.ts';
import type { Fault } from './fault.ts';
import type { Deployment } from './deployment.ts';
import { onCleanup } from './cleanup.ts';

/**
 * Sets the wall clock of the running api and worker by Debian's libfaketime. The monotonic clock (timeouts, pauses) is
 * not affected, as on a real machine.
 */

export interface MovedClock {
  /** The environment of the affected processes. */
  readonly env: Readonly<Record<string, string>>;
  move(seconds: number): void;
}

export function createMovedClock(): MovedClock {
  const library = execFileSync('bash', ['-c', 'dpkg -L libfaketime | grep -m1 "/libfaketime.so.1$"'], {
    encoding: 'utf8',
  }).trim();
  const folder = mkdtempSync(join(tmpdir(), 'unsaid-clock-'));
  onCleanup(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'offset');
  function move(seconds: number): void {
    writeFileSync(`${file}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    // Atomic: a half-written file would be ignored.
    renameSync(`${file}.new`, file);
  }
  move(0);
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_RESET: '1',
      FAKETIME_CACHE_DURATION: '1',
    },
    move,
  };
}

const hour = 3600;

// One script for each check: this process also runs the proxies and is blocked during the call.
const longestLife = `
local longest = 0
for _, key in ipairs(redis.call('KEYS', '*otp:1:*')) do
  longest = math.max(longest, math.ceil(redis.call('PTTL', key) / 1000))
end
return longest`;
const forgetStrict = `for _, key in ipairs(redis.call('KEYS', 'strict:*')) do redis.call('DEL', key) end`;

async function secondsOff(port: number): Promise<number> {
  const { headers } = await fetch(`http://127.0.0.1:${port}/healthz`);
  return Math.round((Date.parse(headers.get('date') ?? '') - Date.now()) / 1000);
}

export function clockFaults(clock: MovedClock, { api, strict }: Deployment, redis: TempRedis): Fault[] {
  async function set(seconds: number): Promise<void> {
    clock.move(seconds);
    for (const { port } of [api, strict])
      await waitUntil('the clock to be set', async () => Math.abs((await secondsOff(port)) - seconds) < 5);
  }

  return [hour, -hour].map((seconds): Fault => {
    // Requests before, during and after: setting the clock must not reset the limit of a minute.
    let flood = createCodeFlood(strict);
    const wrong: string[] = [];
    return {
      name: `clock set ${seconds > 0 ? 'forward' : 'back'} by 1 h`,
      async begin() {
        redis.command('eval', forgetStrict, '0');
        flood = createCodeFlood(strict);
        await flood.pour(60);
        await set(seconds);
      },
      async last() {
        await flood.pour(60);
        await fetch(`http://127.0.0.1:${api.port}${requestOtp.path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ phone: '+919700000037' }),
        });
        // By the clock of Redis.
        const life = Number(redis.command('eval', longestLife, '0'));
        if (life <= 0) wrong.push('no code was stored');
        if (life > limits.otpLifeSeconds + expiryStepMs / 1000 + 1)
          wrong.push(`a code would live for ${life} s`);
        await pause(1500);
      },
      async end() {
        await set(0);
        await flood.pour(60);
      },
      judge() {
        const judged = flood.judge();
        return { ...judged, wrong: [...judged.wrong, ...wrong] };
      },
    };
  });
}
