/**
 * npm run check:image: the files that .dockerignore lets into the image are enough to build and start it. No daemon, no
 * base image: each COPY of deploy/Dockerfile is done in a folder, the web is built there, and the server starts from the
 * last stage. `npm ci` is replaced by hard links to the packages of this checkout. The web that was built becomes the
 * checkout's own. --each-line takes every line out of .dockerignore in turn, and fails if one is not missed.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { killChildren } from '../testkit/child-processes.ts';
import { freePort } from '../testkit/free-port.ts';
import { migrate, startServer } from '../testkit/server-process.ts';
import { findServices, urlOfDatabase } from './services.ts';
import { conclude, root } from './test-reports.ts';

const { DATABASE_URL, REDIS_URL } = findServices();
// Outside the checkout: from a folder inside it, a missing package would be found in node_modules above.
const work = mkdtempSync(join(tmpdir(), 'unsaid-image-'));
/** Hard links, unless the checkout is on another file system. */
const links = statSync(root).dev === statSync(work).dev ? '-al' : '-a';
const exec = (file: string, args: readonly string[], cwd = root) =>
  execFileSync(file, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** The folder that `docker build` would send. Only the form that the file has is known: all out, then plain paths in. */
function sendContext(list: readonly string[], to: string): void {
  if (list[0] !== '*') throw new Error('.dockerignore: the first line must be *');
  for (const line of list.slice(1)) {
    if (!/^![\w./-]+$/u.test(line)) throw new Error(`.dockerignore: cannot read ${line}`);
    const path = line.slice(1);
    if (!existsSync(`${root}${path}`)) throw new Error(`.dockerignore names ${path}, which is not there`);
    cpSync(`${root}${path}`, join(to, path), { recursive: true });
  }
}

/** The packages that `npm ci` would install in a stage with these arguments. */
function installPackages(command: string, stage: string): void {
  const workspaces = [...command.matchAll(/--workspace (\w+)/gu)].map(([, name = '']) => name);
  if (!command.includes('--omit=dev')) {
    for (const folder of ['node_modules', 'web/node_modules'])
      if (existsSync(`${root}${folder}`)) exec('cp', [links, `${root}${folder}`, join(stage, folder)]);
    return;
  }
  const args = ['ls', '--parseable', '--all', '--omit=dev', ...workspaces.flatMap((name) => ['-w', name])];
  for (const path of exec('npm', args).split('\n')) {
    const inside = path.slice(root.length);
    if (!/^(?:\w+\/)?node_modules\//u.test(inside) || existsSync(join(stage, inside))) continue;
    mkdirSync(join(stage, dirname(inside)), { recursive: true });
    exec('cp', [links, path, join(stage, inside)]);
  }
}

/** Steps that prepare the base image, not the application. deploy/try-image.sh does them. */
const ofTheBase = /^(?:apt-get|useradd|npm install --global)/u;

/** Runs deploy/Dockerfile with that list of files, and returns the folder of its last stage. */
function build(list: readonly string[], name: string): string {
  const context = join(work, name, 'context');
  sendContext(list, context);
  const stages = new Map<string, string>();
  let stage = '';
  const text = readFileSync(`${root}deploy/Dockerfile`, 'utf8').replaceAll(/\\\n\s*/gu, ' ');
  for (const [, word = '', rest = ''] of text.matchAll(/^([A-Z]+) (.+)$/gmu)) {
    if (word === 'FROM') {
      const [from = '', , as = 'image'] = rest.split(' ');
      stage = join(work, name, as);
      const before = stages.get(from);
      if (before === undefined) mkdirSync(stage, { recursive: true });
      else exec('cp', ['-al', before, stage]);
      stages.set(as, stage);
    } else if (word === 'COPY') {
      const [, from, paths = ''] = /^(?:--from=(\w+) )?(.+)$/u.exec(rest) ?? [];
      const words = paths.split(' ');
      const target = words.pop() ?? '';
      for (const path of words) {
        const source =
          from === undefined
            ? join(context, path)
            : join(stages.get(from) ?? '', path.replace(/^\/app\//u, ''));
        if (!existsSync(source)) throw new Error(`COPY ${rest}: ${path} is not among the files`);
        const to = target.endsWith('/')
          ? join(stage, target, path.split('/').at(-1) ?? '')
          : join(stage, target);
        mkdirSync(dirname(to), { recursive: true });
        // -T: into a folder that is there already, as COPY does. -l: nothing is written through these links.
        exec('cp', ['-alT', '--remove-destination', source, to]);
      }
    } else if (word === 'RUN' && rest.startsWith('npm ci')) installPackages(rest, stage);
    else if (word === 'RUN' && !ofTheBase.test(rest)) exec('sh', ['-c', rest], stage);
  }
  return stage;
}

/** Migrates a new database, starts every service from the folder, and asks for readiness and both pages. */
async function start(tree: string): Promise<void> {
  const database = `unsaid_image_${process.pid}`;
  const modPort = await freePort();
  const env = {
    NODE_ENV: 'test',
    DATABASE_URL: urlOfDatabase(DATABASE_URL, database),
    REDIS_URL,
    REDIS_PREFIX: `${database}:`,
    SERVICES: 'api,worker,mod',
    MOD_PORT: String(modPort),
    SMS_OUTBOX_FILE: join(work, 'outbox.jsonl'),
  };
  try {
    migrate(env, tree);
    const { origin, stop } = await startServer({ env, tree, cwd: tree });
    for (const page of [`${origin}/`, `http://127.0.0.1:${modPort}/`]) {
      const { status } = await fetch(page);
      if (status !== 200) throw new Error(`${page}: ${status}`);
    }
    await stop();
  } finally {
    await killChildren();
    exec('psql', [urlOfDatabase(DATABASE_URL, 'postgres'), '-Xqc', `drop database if exists ${database}`]);
  }
}

/** The error in one line of the builder's own words. */
function reasonOf(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return (stderr || message).trim().split('\n').slice(0, 12).join('\n');
}

const problems: string[] = [];
const lines = readFileSync(`${root}.dockerignore`, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
let missed = 0;
try {
  const image = build(lines, 'whole');
  await start(image);
  for (const part of ['dist', 'dist-mod']) {
    rmSync(`${root}web/${part}`, { recursive: true, force: true });
    cpSync(join(work, 'whole/web/web', part), `${root}web/${part}`, { recursive: true });
  }
  if (process.argv.includes('--each-line'))
    for (const line of lines.slice(1)) {
      const name = `without-${missed}`;
      try {
        await start(
          build(
            lines.filter((other) => other !== line),
            name,
          ),
        );
        problems.push(`.dockerignore: nothing misses ${line}`);
      } catch (error) {
        console.log(
          `without ${line}: ${reasonOf(error)
            .split('\n')
            .findLast((text) => text.trim() !== '')}`,
        );
        missed += 1;
      }
      rmSync(join(work, name), { recursive: true, force: true });
    }
} catch (error) {
  problems.push(reasonOf(error));
} finally {
  rmSync(work, { recursive: true, force: true });
}
conclude(problems, `image: built and started from ${lines.length - 1} paths, each missed alone: ${missed}`);
