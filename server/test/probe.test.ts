import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { repo } from '../../testkit/server-process.ts';

/** deploy/probe.ts as the second machine runs it, against a site that answers what the test says. */

const runFile = promisify(execFile);

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'unsaid-probe-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function serve(listener: RequestListener, tls?: { key: Buffer; cert: Buffer }): Promise<string> {
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `${tls ? 'https' : 'http'}://localhost:${(server.address() as AddressInfo).port}`;
}

function prepareVisits(site: string) {
  const [metrics, status] = [makeFolder(), makeFolder()];
  return {
    visit: () => runFile(process.execPath, [join(repo, 'deploy/probe.ts'), site, metrics, status]),
    readMetrics: () => readFileSync(join(metrics, 'unsaid_probe.prom'), 'utf8'),
    readPage: () => readFileSync(join(status, 'index.html'), 'utf8'),
    readChanges: () =>
      JSON.parse(readFileSync(join(status, 'changes.json'), 'utf8')) as { at: string; isUp: boolean }[],
    files: () => [...readdirSync(metrics), ...readdirSync(status)].toSorted(),
  };
}

test('the status page and the metrics follow the site: up, its stores gone, back', async () => {
  let readiness = 200;
  const site = await serve((request, response) => {
    response.writeHead(request.url === '/readyz' ? readiness : 200).end('…');
  });
  const { visit, readMetrics, readPage, readChanges, files } = prepareVisits(site);

  await visit();
  const before = Date.now() / 1000;
  expect(readMetrics()).toMatch(/^unsaid_probe_success 1$/mu);
  expect(Number(/^unsaid_probe_timestamp_seconds (\d+)$/mu.exec(readMetrics())?.[1])).toBeGreaterThan(
    before - 60,
  );
  expect(readPage()).toContain('It works.');
  expect(readPage()).toContain('सब चल रहा है।');

  // The page itself still comes, and people can do nothing on it.
  readiness = 503;
  await visit();
  await visit();
  expect(readMetrics()).toMatch(/^unsaid_probe_success 0$/mu);
  expect(readPage()).toContain("It doesn't work right now. We know.");
  expect(readPage()).toContain('अभी नहीं चल रहा। हमें पता है।');
  expect(readPage()).not.toContain('It works.');

  readiness = 200;
  await visit();
  expect(readPage()).toContain('It works.');
  // One line a change, not one a visit.
  expect(readChanges().map(({ isUp }) => isUp)).toEqual([true, false, true]);
  expect(readPage().match(/<li>/gu)).toHaveLength(2 * 3);
  expect(files()).toEqual(['changes.json', 'index.html', 'unsaid_probe.prom']);
});

test('the status page loads nothing from elsewhere and runs no script', async () => {
  const { visit, readPage } = prepareVisits(await serve((_, response) => response.end('…')));
  await visit();
  expect(readPage()).not.toMatch(/<script|<link|<img|<iframe|https?:|url\(|@import| on\w+=/iu);
});

test('a site that nobody answers for is down, and the probe itself goes on', async () => {
  const { visit, readMetrics, readPage } = prepareVisits('http://127.0.0.1:9');
  await visit();
  expect(readMetrics()).toMatch(/^unsaid_probe_success 0$/mu);
  expect(readPage()).toContain("It doesn't work right now. We know.");
});

test('the day on which the certificate ends is measured, and one that browsers refuse is down', async () => {
  const folder = makeFolder();
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
  const begun = Date.now() / 1000;
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '3', '-subj', '/CN=localhost'],
      ...['-keyout', key, '-out', cert],
    ],
    { stdio: 'ignore' },
  );
  const site = await serve((_, response) => response.end('…'), {
    key: readFileSync(key),
    cert: readFileSync(cert),
  });
  const { visit, readMetrics } = prepareVisits(site);
  await visit();
  const expiry = Number(
    /^unsaid_probe_certificate_expiry_timestamp_seconds (\d+)$/mu.exec(readMetrics())?.[1],
  );
  expect(expiry - begun).toBeGreaterThan(2.9 * 86_400);
  expect(expiry - begun).toBeLessThan(3.1 * 86_400);
  expect(readMetrics()).toMatch(/^unsaid_probe_success 0$/mu);
});
