import type { IdentityBase } from '../../kernel/base.ts';

/** Announces the end of sessions to the live connections of all processes. Sessions have opaque names there. */
export interface SessionEnds {
  nameOf(tokenKey: Buffer): string;
  announce(hashes: readonly Buffer[]): Promise<void>;
  onEnded(listener: (names: readonly string[]) => void): void;
}

type SessionEndsDeps = Pick<IdentityBase, 'redis' | 'redisCrypto'>;

const channel = 'live-sessions-ended';

export async function createSessionEnds({ redis, redisCrypto }: SessionEndsDeps): Promise<SessionEnds> {
  const nameOf = (tokenKey: Buffer) => redisCrypto.keyedHash('ended-session', tokenKey);
  const listeners = new Set<(names: readonly string[]) => void>();
  const tell = (names: readonly string[]) => {
    for (const listener of listeners) listener(names);
  };
  await redis.onMessage(channel, (message) => tell(message.split(',')));
  return {
    nameOf,
    async announce(hashes) {
      const names = hashes.map(nameOf);
      // This process first: it must hear of it without Redis, too.
      tell(names);
      await redis.publish(channel, names.join(','));
    },
    onEnded(listener) {
      listeners.add(listener);
    },
  };
}
