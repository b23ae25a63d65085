import { hkdfSync } from 'node:crypto';
import { createRingAead } from './aead.ts';
import type { KeyLabel } from './key-labels.ts';

/** What closes the data keys, and nothing else. A key management service or a vault fits behind these two calls. */
export interface MasterKey {
  /** `context` is authenticated and not stored: it binds the key to its row. */
  wrap(key: Buffer, context: string): Promise<Buffer>;
  /** Null for another master key or context, or a changed byte. */
  unwrap(wrapped: Buffer, context: string): Promise<Buffer | null>;
}

export interface LocalKey {
  readonly id: number;
  readonly bytes: Buffer;
}

const derive = (master: LocalKey, label: string) =>
  Buffer.from(hkdfSync('sha256', master.bytes, '', `unsaid ${label}`, 32));

/** Of MASTER_KEYS: the first wraps, each unwraps. */
export function createLocalMasterKey([first, ...others]: readonly [LocalKey, ...LocalKey[]]): MasterKey {
  const keyOf = (master: LocalKey) => derive(master, 'data-key/1');
  const aead = createRingAead([keyOf(first), ...others.map(keyOf)]);
  return {
    wrap: async (key, context) => aead.seal(key, Buffer.from(context)),
    unwrap: async (wrapped, context) => aead.open(wrapped, Buffer.from(context)),
  };
}

/** The key of a use before there were data keys. Those of an older database begin with it, so that its rows open. */
export const deriveFirst = (master: LocalKey, label: KeyLabel): Buffer => derive(master, label);
