import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../clock.ts';
import type { SmsMessage, SmsProvider } from './sms.ts';

export interface OutboxEntry extends Omit<SmsMessage, 'use'> {
  readonly at: string;
}

export interface Outbox extends SmsProvider {
  /** Newest first. */
  recent(): readonly OutboxEntry[];
}

/** For development: messages go to a file, the terminal and /dev/outbox. Production does not start with it. */
export function createOutbox(file: string, clock: Clock): Outbox {
  const entries: OutboxEntry[] = [];
  return {
    name: 'outbox',
    recent: () => entries,
    async send({ to, code, text }) {
      const entry: OutboxEntry = { to, code, text, at: new Date(clock.now()).toISOString() };
      entries.unshift(entry);
      entries.length = Math.min(entries.length, 50);
      await mkdir(dirname(file), { recursive: true });
      await appendFile(file, `${JSON.stringify(entry)}\n`);
      // To the terminal, not to the log: logs are stored.
      if (process.stderr.isTTY) process.stderr.write(`\n  code for ${to}: ${code}\n\n`);
      return 'accepted';
    },
  };
}
