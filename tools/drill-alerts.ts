/**
 * npm run drill:alerts: every alert rings once, in a real Prometheus and a real Alertmanager, and reaches a receiver of
 * webhooks. The series are those of promtool's tests, written into the past so that the moment of the test is now. What the
 * rules wait for (`for`) is left out here: promtool tests it. Prints the text that arrives.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { endChild, killChildren, spawnChild } from '../testkit/child-processes.ts';
import { freePort } from '../testkit/free-port.ts';
import { needPrograms, readOptions } from '../testkit/options.ts';
import { waitUntil } from '../testkit/wait-until.ts';
import { conclude, root } from './test-reports.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<'summary' | 'runbook', string>>;
}
interface Expected {
  readonly eval_time: string;
  readonly alertname: string;
  readonly exp_alerts: readonly { readonly exp_annotations: Rule['annotations'] }[];
}
interface Test {
  readonly interval: string;
  readonly input_series: readonly { readonly series: string; readonly values: string | number }[];
  readonly alert_rule_test: readonly Expected[];
}
interface Arrived {
  readonly alerts: readonly {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Rule['annotations'];
  }[];
}

readOptions({});
needPrograms({ promtool: 'prometheus', 'prometheus-alertmanager': 'prometheus-alertmanager' });
const read = (file: string): unknown =>
  parse(readFileSync(`${root}deploy/prometheus/${file}`, 'utf8'), { merge: true });
const { groups } = read('alerts.yml') as { groups: readonly { readonly rules: readonly Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const tests = ['alerts.test.yml', 'alerts-slow.test.yml'].flatMap(
  (file) => (read(file) as { tests: readonly Test[] }).tests,
);

const seconds = (text: string) =>
  [...text.matchAll(/(\d+)([smhd])/gu)].reduce(
    (sum, [, count, unit = 's']) => sum + Number(count) * { s: 1, m: 60, h: 3600, d: 86_400 }[unit as 's'],
    0,
  );

/** promtool's notation: `1`, `_`, `0x5` (once and five times more), `0+10x5`. */
function expand(values: string | number): (number | null)[] {
  return String(values)
    .split(' ')
    .flatMap((word) => {
      const [, first = '', step = '0', times = '0'] =
        /^(_|-?[\d.]+)([+-][\d.]+)?(?:x(\d+))?$/u.exec(word) ?? [];
      const count = Number(times) + (first === '_' && times !== '0' ? 0 : 1);
      return Array.from({ length: count }, (_, n) =>
        first === '_' ? null : Number(first) + n * Number(step),
      );
    });
}

/** The samples up to the moment of the test, which becomes `now`. Times as values move along. */
function openMetrics({ interval, input_series }: Test, evalSeconds: number, now: number): string {
  const lines = input_series.flatMap(({ series, values }) => {
    const shift = now - evalSeconds;
    const isTime = /_timestamp_seconds(?:\{|$)/u.test(series);
    return expand(values).flatMap((value, n) => {
      const at = n * seconds(interval);
      return value === null || at > evalSeconds
        ? []
        : [`${series} ${isTime ? value + shift : value} ${shift + at}`];
    });
  });
  return `${lines.toSorted().join('\n')}\n# EOF\n`;
}

const arrived: Arrived[] = [];
const receiver = createServer((request, response) => {
  let body = '';
  request.on('data', (part: Buffer) => (body += part.toString()));
  request.on('end', () => {
    arrived.push(JSON.parse(body) as Arrived);
    response.end();
  });
});
await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));
const webhook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;

/** Rings one alert, and returns the text that arrived. */
async function ring(rule: Rule, test: Test, evalTime: string): Promise<Arrived['alerts'][number]> {
  const folder = mkdtempSync(join(tmpdir(), 'unsaid-alerts-'));
  const [alertPort, port] = [await freePort(), await freePort()];
  const put = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  try {
    const config = execFileSync('sh', [`${root}deploy/prometheus/alertmanager.sh`], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ALERT_TO: webhook, ALERT_WAIT: '0s' },
    });
    const { for: _, ...atOnce } = rule as Rule & { for?: string };
    put('alerts.yml', stringify({ groups: [{ name: 'drill', rules: [atOnce] }] }));
    put(
      'prometheus.yml',
      stringify({
        global: { evaluation_interval: '1s' },
        rule_files: ['alerts.yml'],
        alerting: { alertmanagers: [{ static_configs: [{ targets: [`127.0.0.1:${alertPort}`] }] }] },
      }),
    );
    mkdirSync(join(folder, 'data'));
    const samples = put('samples', openMetrics(test, seconds(evalTime), Math.floor(Date.now() / 1000)));
    execFileSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', samples, join(folder, 'data')], {
      stdio: 'pipe',
    });
    const children = [
      spawnChild(
        'prometheus-alertmanager',
        [
          ...[
            `--config.file=${put('alertmanager.yml', config)}`,
            `--storage.path=${join(folder, 'alertmanager')}`,
          ],
          ...[`--web.listen-address=127.0.0.1:${alertPort}`, '--cluster.listen-address='],
        ],
        { stdio: 'ignore' },
      ),
      spawnChild(
        'prometheus',
        [
          ...[
            `--config.file=${join(folder, 'prometheus.yml')}`,
            `--storage.tsdb.path=${join(folder, 'data')}`,
          ],
          ...[`--web.listen-address=127.0.0.1:${port}`, '--storage.tsdb.retention.time=90d'],
          // The first one is sent before it knows Alertmanager.
          '--rules.alert.resend-delay=1s',
        ],
        { stdio: 'ignore' },
      ),
    ];
    const found = () =>
      arrived.flatMap(({ alerts }) => alerts).find(({ labels }) => labels['alertname'] === rule.alert);
    await waitUntil(rule.alert, () => found() !== undefined);
    for (const child of children) await endChild(child, 'SIGKILL');
    return found() as Arrived['alerts'][number];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const problems: string[] = [];
/** Values drift by seconds between the test and now. */
const withoutNumbers = (text: string) => text.replaceAll(/\d+/gu, '#');
async function check(rule: Rule): Promise<void> {
  const isRinging = ({ alertname, exp_alerts: rung }: Expected) =>
    alertname === rule.alert && rung.length > 0;
  const test = tests.find(({ alert_rule_test: checks }) => checks.some(isRinging));
  const expected = test?.alert_rule_test.find(isRinging);
  if (!test || !expected) {
    problems.push(`${rule.alert}: no test rings it`);
    return;
  }
  try {
    const { labels, annotations } = await ring(rule, test, expected.eval_time);
    console.log(`${labels['severity']}  ${rule.alert}: ${annotations.summary} (${annotations.runbook})`);
    const wanted = expected.exp_alerts[0]?.exp_annotations;
    if (withoutNumbers(annotations.summary) !== withoutNumbers(wanted?.summary ?? ''))
      problems.push(`${rule.alert}: arrived as "${annotations.summary}"`);
  } catch (error) {
    problems.push(`${rule.alert} did not ring: ${(error as Error).message}`);
  }
}
// Each waits some seconds until Prometheus has found Alertmanager.
const waiting = [...rules];
const lanes = Array.from({ length: 6 }, async () => {
  for (let rule = waiting.shift(); rule; rule = waiting.shift()) await check(rule);
});
await Promise.all(lanes);
await killChildren();
receiver.close();
conclude(problems, `\nalerts: ${rules.length} rang and reached the receiver`);
