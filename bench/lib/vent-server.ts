import { createClient, type Client } from './client.ts';
import type { BenchContext } from './section.ts';
import { signIn, startTestServer, type TestServer } from './test-server.ts';
import { viewerPhone } from './vent-databases.ts';

/** The real server on one of the databases with vents, and a signed-in viewer. */
export interface VentServer {
  readonly server: TestServer;
  readonly client: Client;
  readonly token: string;
  close(): Promise<void>;
}

export async function startVentServer(
  { redis }: BenchContext,
  database: string,
  { tree, env }: { readonly tree?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<VentServer> {
  const server = await startTestServer(database, {
    database,
    tree,
    env: { SERVICES: 'api', REDIS_URL: redis.url, ...env },
  });
  const client = createClient(server.port, 1);
  async function close(): Promise<void> {
    client.close();
    await server.stop();
  }
  try {
    return { server, client, token: await signIn(server, client, viewerPhone), close };
  } catch (error) {
    await close();
    throw error;
  }
}
