import type { RedisCrypto } from '../../platform/crypto/redis-crypto.ts';
import type { RedisStore } from '../../platform/redis.ts';

/** Announces the end of sessions to the live connections of all processes. Sessions have opaque names there. */
export interface SessionEnds {
  nameOf(tokenSha256: Buffer): string;
  announce(hashes: readonly Buffer[]): Promise<void>;
  onEnded(listener: (names: readonly string[]) => void): void;
}

interface SessionEndsDeps {
  readonly redis: RedisStore;
  readonly redisCrypto: RedisCrypto;
}

const channel = 'live-sessions-ended';

export async function createSessionEnds({ redis, redisCrypto }: SessionEndsDeps): Promise<SessionEnds> {
  const nameOf = (tokenSha256: Buffer) => redisCrypto.keyedHash('ended-session', tokenSha256);
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
