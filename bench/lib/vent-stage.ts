import { createClient, type Client } from './client.ts';
import type { BenchContext } from './part.ts';
import { signIn, startStage, type Stage } from './stage.ts';
import { viewerPhone } from './vent-databases.ts';

/** The real server on one of the databases with vents, and somebody who is signed in there. */

export interface VentStage {
  readonly stage: Stage;
  readonly client: Client;
  readonly token: string;
  close(): Promise<void>;
}

export const redisUrlOf = ({ redis }: BenchContext) => `redis://127.0.0.1:${redis.port}`;

export async function startVentStage(
  context: BenchContext,
  database: string,
  { tree, ...env }: Record<string, string> & { readonly tree?: string } = {},
): Promise<VentStage> {
  const given = { SERVICES: 'api', REDIS_URL: redisUrlOf(context), ...env };
  const stage = await startStage(database, context.nextPort(), given, database, tree);
  const client = createClient(stage.port, 1);
  async function close(): Promise<void> {
    client.close();
    await stage.stop();
  }
  try {
    return { stage, client, token: await signIn(stage, client, viewerPhone), close };
  } catch (error) {
    await close();
    throw error;
  }
}
