/**
 * npm run drill:rollback [-- <commit>]: runs the server of the previous release on the current schema, beside the current
 * server. This makes a rolling release safe, and a rollback without undoing a migration.
 *
 * The previous release is the last commit without the newest migration: that server is running while the migration is
 * applied. In a shallow clone without that commit the drill says so and passes, and proves nothing. It does the same if
 * that commit is older than the baseline, when migrations had no folder for each schema: no running server knows that
 * schema.
 *
 * An incompatible migration says so in its first line ("-- Breaks the release before: why"). The drill prints it and
 * stops. That is allowed only while no installation has users (docs/conventions.md, "Database").
 *
 * The old server runs with the current packages: the drill tests our SQL against our schema, not the lockfile.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { killChildren } from '../testkit/child-processes.ts';
import { readOptions } from '../testkit/options.ts';
import { startServer } from '../testkit/server-process.ts';
import {
  call,
  confirm,
  isOnMachine,
  onMachine,
  run,
  say,
  signIn,
  testNumber,
  type Person,
} from './drills.ts';

const { positional: wanted } = readOptions({}, { positional: 'commit' });
const root = fileURLToPath(new URL('..', import.meta.url));
const git = (...args: string[]) => run(['git', '-C', root, ...args]);
const migrations = 'server/src/db/migrations';
/** The newest migration of all schemas. */
const newest =
  readdirSync(`${root}${migrations}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql'))
    .toSorted((a, b) => (basename(a) < basename(b) ? -1 : 1))
    .at(-1) ?? '';

const hasFolders = (commit: string) => git('ls-tree', '-d', commit, `${migrations}/`) !== '';

function findBefore(): string | null {
  try {
    if (wanted !== '') return git('rev-parse', '--verify', `${wanted}^{commit}`);
    const added = git('log', '--diff-filter=A', '--format=%H', '--', `${migrations}/${newest}`)
      .split('\n')
      .at(-1);
    // Not committed yet: HEAD is the previous release.
    return git('rev-parse', '--verify', added ? `${added}^` : 'HEAD');
  } catch {
    return null;
  }
}

/** Relative: the machine has the repository elsewhere. */
const link = (to: string, from: string) => symlinkSync(relative(dirname(from), to), from);

/** Checks out the commit's own workspaces, with the current packages. */
function checkOut(commit: string, tree: string): void {
  const { workspaces } = JSON.parse(git('show', `${commit}:package.json`)) as { workspaces: string[] };
  const archive = 'git -C "$1" archive "$2" package.json "${@:4}" | tar -x -C "$3"';
  run(['bash', '-c', archive, 'bash', root, commit, tree, ...workspaces]);
  // Entry by entry: the folder contains links to the current workspaces.
  mkdirSync(join(tree, 'node_modules/@unsaid'), { recursive: true });
  for (const name of readdirSync(`${root}node_modules`))
    if (name !== '@unsaid') link(`${root}node_modules/${name}`, join(tree, 'node_modules', name));
  for (const workspace of workspaces) {
    link(join(tree, workspace), join(tree, 'node_modules/@unsaid', workspace));
    link(`${root}${workspace}/node_modules`, join(tree, workspace, 'node_modules'));
  }
  mkdirSync(join(tree, 'web/dist'), { recursive: true });
}

const readerNumber = '+919900000003';

interface Listed {
  readonly vents: { readonly title: string }[];
}

/** The most frequent calls, once each. */
async function useOnce(author: Person, reader: Person, title: string): Promise<void> {
  const said = { title, text: `${title}, and it is heard`, emotion: 'Anxious', hashtags: ['exams'] };
  const { vent } = (await call(author, 'POST', '/api/vent/create', said)) as { vent: { _id: string } };
  const { vents } = (await call(reader, 'GET', '/api/vent/all')) as unknown as Listed;
  if (!vents.some((listed) => listed.title === title)) throw new Error(`${title} is not in the feed`);
  await call(reader, 'POST', '/api/vent/comment', { ventId: vent._id, text: 'I hear you' });
  await call(reader, 'POST', '/api/vent/react', { ventId: vent._id, reactionType: 'hug' });
  await call(reader, 'GET', `/api/vent/search?query=${encodeURIComponent('heard')}`);
  await call(author, 'GET', '/api/vent/since');
  await call(author, 'GET', '/api/match/suggestions');
  await call(author, 'GET', '/api/auth/user');
  await call(author, 'GET', '/api/auth/export').catch((error: Error) => {
    // A fresh code may be required first.
    if (!error.message.includes(' 403 ')) throw error;
  });
}

/** Both servers must find anonymous comments, whichever of them stored them. */
async function findOwn(writer: Person, titles: readonly string[], origins: readonly string[]): Promise<void> {
  const { vents } = (await call(writer, 'GET', '/api/vent/all')) as unknown as {
    vents: { _id: string; title: string }[];
  };
  const said: string[] = [];
  for (const origin of origins) {
    for (const { _id, title } of vents.filter((vent) => titles.includes(vent.title))) {
      const text = `unnamed ${said.length + 1} on ${title}`;
      await call({ ...writer, origin }, 'POST', '/api/vent/comment', { ventId: _id, text, anonymous: true });
      said.push(text);
    }
  }
  for (const origin of origins) {
    const { data } = (await call({ ...writer, origin }, 'GET', '/api/auth/export')) as unknown as {
      data: { comments: { text: string }[] };
    };
    const found = new Set(data.comments.map(({ text }) => text));
    const missing = said.filter((text) => !found.has(text));
    if (missing.length > 0) throw new Error(`an export lacks: ${missing.join(', ')}`);
  }
}

async function idOf(person: Person): Promise<string> {
  const { user } = (await call(person, 'GET', '/api/auth/user')) as { user: { _id: string } };
  return user._id;
}

/** The first new migration that declares itself incompatible. */
function findBreaking(commit: string): string | null {
  const had = new Set(git('ls-tree', '-r', '--name-only', commit, `${migrations}/`).split('\n'));
  const added = readdirSync(`${root}${migrations}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql') && !had.has(`${migrations}/${file}`))
    .toSorted();
  for (const file of added) {
    const [first = ''] = readFileSync(`${root}${migrations}/${file}`, 'utf8').split('\n');
    if (first.startsWith('-- Breaks the release before:')) return `${file}: ${first.slice(3)}`;
  }
  return null;
}

/** A setting of the server's environment file, as systemd reads it. */
const readSettings = () =>
  Object.fromEntries(
    [...readFileSync('/etc/unsaid/server.env', 'utf8').matchAll(/^(\w+)=(["']?)(.*)\2$/gmu)].map(
      ([, name = '', , value = '']) => [name, value] as const,
    ),
  );

async function drill(tree: string, before: string): Promise<void> {
  const env = { ...readSettings(), NODE_ENV: 'production', SERVICES: 'api', HOST: '127.0.0.1' };
  const old = await startServer({ tree, env });
  const today = { origin: 'http://127.0.0.1:3000' };
  say(`ready on ${newest}: the server of ${before.slice(0, 7)}, and today's`);

  const author = await signIn(old.origin, testNumber);
  const reader = await signIn(today.origin, readerNumber);
  await useOnce(author, { ...reader, origin: old.origin }, 'Said to the old one');
  say(
    'the old one: signs in, vents, lists, comments, reacts, searches, matches; a session of the new one opens it',
  );
  await useOnce({ ...author, origin: today.origin }, reader, 'Said to the new one');
  say('the new one: the same, with a session of the old one');
  const both = [old.origin, today.origin];
  await confirm(reader, readerNumber);
  await findOwn(reader, ['Said to the old one', 'Said to the new one'], [...both, ...both]);
  say('what was written as Anonymous to one of them in turns is in the export of either');
  const again = await signIn(old.origin, readerNumber);
  if ((await idOf(again)) !== (await idOf(reader)))
    throw new Error('a number that signed up with the new one gets a second account from the old one');
  say('a number that signed up with the new one finds its account with the old one');
  // The old server must read what the new one wrote.
  const { vents } = (await call(
    { ...author, origin: old.origin },
    'GET',
    '/api/vent/all',
  )) as unknown as Listed;
  if (vents.length !== 2) throw new Error(`the old one lists ${vents.length} of 2 vents`);
  console.log(`rollback: ${before.slice(0, 7)} runs on ${newest}, beside today's`);
  await killChildren();
}

if (isOnMachine) {
  const [tree = '', before = ''] = process.argv.slice(2);
  await drill(`${root}${tree}`, before);
} else {
  const before = findBefore();
  const breaking = before === null || !hasFolders(before) ? null : findBreaking(before);
  if (before === null) console.log('rollback: skipped, this clone does not contain the previous release');
  else if (!hasFolders(before)) console.log('rollback: skipped, the newest migrations are the baseline');
  else if (breaking !== null) console.log(`rollback: skipped. ${breaking}`);
  else {
    // In the repository, which is all that the machine sees, and where Node strips types.
    const tree = `reports/before-${process.pid}/`;
    process.once('exit', () => rmSync(`${root}${tree}`, { recursive: true, force: true }));
    mkdirSync(`${root}${tree}`, { recursive: true });
    checkOut(before, `${root}${tree}`);
    onMachine('units', { LIMITS_SCALE: '20' }, [tree, before]);
  }
}
