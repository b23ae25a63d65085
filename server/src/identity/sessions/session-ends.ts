import type { Base } from '../../kernel/base.ts';

const channel = 'live-sessions-ended';

export type SessionEnds = Awaited<ReturnType<typeof createSessionEnds>>;

/** Announces the end of sessions to the live connections of all processes. Sessions have opaque names there. */
export async function createSessionEnds({ redis, redisCrypto }: Pick<Base, 'redis' | 'redisCrypto'>) {
  const nameOf = (tokenKey: Buffer) => redisCrypto.keyedHash('ended-session', tokenKey);
  const listeners = new Set<(names: readonly string[]) => void>();
  const tell = (names: readonly string[]) => {
    for (const listener of listeners) listener(names);
  };
  await redis.onMessage(channel, (message) => tell(message.split(',')));
  return {
    nameOf,
    async announce(tokenKeys: readonly Buffer[]): Promise<void> {
      const names = tokenKeys.map(nameOf);
      // This process first: it must hear of it without Redis, too.
      tell(names);
      await redis.publish(channel, names.join(','));
    },
    onEnded(listener: (names: readonly string[]) => void): void {
      listeners.add(listener);
    },
  };
}
