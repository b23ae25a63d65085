/**
 * Visits the site as people do, writes what it saw for Prometheus' node exporter, and a status page for people.
 *   node deploy/probe.ts https://unsaid.example METRICS_FOLDER STATUS_FOLDER [--every-minute]
 * Serve STATUS_FOLDER from another machine than the site's. It has no script and no foreign file, and nobody's visit to it
 * is known here.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';

const [site = '', metricsFolder = '', statusFolder = '', often] = process.argv.slice(2);
if (statusFolder === '') {
  console.error('probe: SITE METRICS_FOLDER STATUS_FOLDER [--every-minute]');
  process.exit(64);
}

interface Change {
  readonly at: string;
  readonly isUp: boolean;
}

/** The page and a store behind it: an api without its database answers 503. */
const isAnswering = async () => {
  const seen = await Promise.all(
    ['/', '/readyz'].map((path) =>
      fetch(new URL(path, site), { signal: AbortSignal.timeout(10_000) }).then(
        ({ ok }) => ok,
        () => false,
      ),
    ),
  );
  return seen.every(Boolean);
};

/** Seconds since 1970, or null without TLS or without an answer. An expired certificate is read too. */
async function certificateExpiry(): Promise<number | null> {
  const { protocol, hostname, port } = new URL(site);
  if (protocol !== 'https:') return null;
  return new Promise((resolve) => {
    const socket = connect(
      {
        host: hostname,
        port: Number(port || 443),
        servername: hostname,
        rejectUnauthorized: false,
        timeout: 10_000,
      },
      () => {
        const until = Date.parse(socket.getPeerCertificate().valid_to);
        socket.destroy();
        resolve(Number.isNaN(until) ? null : until / 1000);
      },
    );
    for (const event of ['error', 'timeout'] as const)
      socket.once(event, () => {
        socket.destroy();
        resolve(null);
      });
  });
}

/** Renamed when complete: readers never see half a file. */
function put(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o644 });
  renameSync(`${file}.new`, file);
}

const inIndia = (iso: string, locale: string) =>
  new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'Asia/Kolkata',
  }).format(new Date(iso));

function pageOf(changes: readonly Change[], now: string): string {
  const isUp = changes.at(-1)?.isUp ?? false;
  const part = (lang: 'en' | 'hi', words: readonly [string, string, string, string, string]) => {
    const [up, down, checked, cameBack, stopped] = words;
    const lines = changes
      .slice(-20)
      .toReversed()
      .map(({ at, isUp: wasUp }) => `<li>${inIndia(at, `${lang}-IN`)}: ${wasUp ? cameBack : stopped}</li>`);
    return `<section lang="${lang}"><h1>${isUp ? up : down}</h1><p>${checked} ${inIndia(now, `${lang}-IN`)}</p><ul>${lines.join('')}</ul></section>`;
  };
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="60"><title>Status</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:2rem auto;padding:0 1rem}</style>
${part('en', ['It works.', "It doesn't work right now. We know.", 'Last checked:', 'works', "doesn't work"])}
${part('hi', ['सब चल रहा है।', 'अभी नहीं चल रहा। हमें पता है।', 'आख़िरी बार देखा:', 'चल रहा है', 'नहीं चल रहा'])}
</html>\n`;
}

async function visit(): Promise<void> {
  const [isUp, expiry] = await Promise.all([isAnswering(), certificateExpiry()]);
  // First: without them nothing rings, whatever happens to the page.
  const lines = [
    `unsaid_probe_success ${isUp ? 1 : 0}`,
    `unsaid_probe_timestamp_seconds ${Math.floor(Date.now() / 1000)}`,
    ...(expiry === null ? [] : [`unsaid_probe_certificate_expiry_timestamp_seconds ${expiry}`]),
  ];
  put(join(metricsFolder, 'unsaid_probe.prom'), `${lines.join('\n')}\n`);
  const now = new Date().toISOString();
  const stateFile = join(statusFolder, 'changes.json');
  mkdirSync(statusFolder, { recursive: true });
  const known = existsSync(stateFile) ? (JSON.parse(readFileSync(stateFile, 'utf8')) as Change[]) : [];
  const changes = known.at(-1)?.isUp === isUp ? known : [...known, { at: now, isUp }].slice(-200);
  put(stateFile, JSON.stringify(changes));
  put(join(statusFolder, 'index.html'), pageOf(changes, now));
}

await visit();
if (often === '--every-minute')
  for (;;) {
    await sleep(60_000);
    await visit();
  }
