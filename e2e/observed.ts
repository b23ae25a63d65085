import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { bareEnv, endChild, hasEnded, spawnChild } from '../testkit/child-processes.ts';
import { freePort } from '../testkit/free-port.ts';
import { repo } from './test-env.ts';

/** One TLS record with data, as somebody on the same Wi-Fi sees it. */
export interface SeenRecord {
  readonly direction: 'up' | 'down';
  readonly bytes: number;
}

const headerBytes = 5;
const applicationData = 23;

/** Debian's. Where it is missing it is installed; the proof is not skipped. */
function installCaddy(): void {
  if (!spawnSync('caddy', ['version']).error) return;
  const install = 'apt-get update -qq && apt-get install -y -qq --no-install-recommends caddy';
  const { status, stderr } = spawnSync('bash', ['-c', install], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`caddy cannot be installed: ${stderr}`);
}

interface CaddyConfig {
  admin?: object;
  readonly apps: { http: { http_port?: number }; pki?: object };
}

/** Caddy from the file that ships. Of what is no business of a test it leaves the machine alone: its root certificates, port 80. */
async function startCaddy(apiPort: number) {
  installCaddy();
  const [port, modPort] = [await freePort(), await freePort()];
  const home = mkdtempSync(join(tmpdir(), 'unsaid-caddy-'));
  const env = {
    ...bareEnv,
    HOME: home,
    SITE: `https://localhost:${port}`,
    MOD_SITE: `https://moderation.localhost:${modPort}`,
    API_HOST: 'localhost',
    API_PORT: String(apiPort),
  };
  const adapt = ['adapt', '--config', `${repo}deploy/Caddyfile`, '--adapter', 'caddyfile'];
  const { stdout } = await promisify(execFile)('caddy', adapt, { env });
  const config = JSON.parse(stdout) as CaddyConfig;
  config.admin = { disabled: true };
  config.apps.http.http_port = await freePort();
  config.apps.pki = { certificate_authorities: { local: { install_trust: false } } };
  const file = join(home, 'caddy.json');
  writeFileSync(file, JSON.stringify(config));
  const caddy = spawnChild('caddy', ['run', '--config', file], { env, stdio: 'ignore' });
  const isUp = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, 'localhost', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
  while (!(await isUp())) {
    if (hasEnded(caddy)) throw new Error('caddy does not start');
    await pause(50);
  }
  return {
    port,
    async stop(): Promise<void> {
      await endChild(caddy, 'SIGTERM');
      rmSync(home, { recursive: true });
    },
  };
}

/** The proxy that ships in front of a server, and before it somebody without a key, who writes down the lengths of TLS records. */
export async function startObserved(apiPort: number) {
  const caddy = await startCaddy(apiPort);
  let seen: SeenRecord[] = [];
  const relay = createServer((client) => {
    const server = connect(caddy.port, 'localhost');
    for (const [from, to, direction] of [
      [client, server, 'up'],
      [server, client, 'down'],
    ] as const) {
      let rest = Buffer.alloc(0);
      from.on('data', (part: Buffer) => {
        to.write(part);
        rest = Buffer.concat([rest, part]);
        while (rest.length >= headerBytes && rest.length >= headerBytes + rest.readUInt16BE(3)) {
          const bytes = rest.readUInt16BE(3);
          if (rest[0] === applicationData) seen.push({ direction, bytes });
          rest = rest.subarray(headerBytes + bytes);
        }
      });
      from.on('close', () => to.destroy());
      from.on('error', () => to.destroy());
    }
  });
  relay.listen(0, 'localhost');
  await once(relay, 'listening');

  return {
    origin: `https://localhost:${(relay.address() as AddressInfo).port}`,
    /** What was seen since the last call. */
    takeSeen(): readonly SeenRecord[] {
      const taken = seen;
      seen = [];
      return taken;
    },
    async stop(): Promise<void> {
      relay.close();
      await caddy.stop();
    },
  };
}
