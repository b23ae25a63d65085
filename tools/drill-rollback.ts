/**
 * npm run drill:rollback [-- <commit>]: the server of the release before runs on the schema of this one, beside the
 * server of this one. That is what makes a rolling release, and a rollback without undoing a migration, safe.
 *
 * Which release is "before": the last commit that did not have the newest migration yet, since that is the server
 * which is running somewhere while the migration is applied. A clone without that history (a shallow one) cannot
 * know it, so there the drill says so and passes: it proves nothing, and pretends nothing. So does it where that
 * commit is older than the baseline, when migrations did not stand in a folder for each schema: no server that is
 * running anywhere knows that schema.
 *
 * A migration that cannot be compatible says so in its first line ("-- Breaks the release before: why"). The drill prints
 * that and tries nothing. It is allowed only while no installation has users (docs/conventions.md, 35).
 *
 * The old server runs with today's packages: what is tried is our SQL against our schema, not the lockfile.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { call, confirm, endAll, run, say, signIn, startServer, type Person } from './drills.ts';
import { findServices, urlOfDatabase } from './services.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const git = (...args: string[]) => run(['git', '-C', root, ...args]);
const migrations = 'server/src/db/migrations';
/** Of all schemas: each has a folder of its own. */
const newest =
  readdirSync(`${root}${migrations}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql'))
    .toSorted((a, b) => (basename(a) < basename(b) ? -1 : 1))
    .at(-1) ?? '';

const hasFolders = (commit: string) => git('ls-tree', '-d', commit, `${migrations}/`) !== '';

function findBefore(): string | null {
  const [wanted] = process.argv.slice(2);
  try {
    if (wanted !== undefined) return git('rev-parse', '--verify', `${wanted}^{commit}`);
    const added = git('log', '--diff-filter=A', '--format=%H', '--', `${migrations}/${newest}`)
      .split('\n')
      .at(-1);
    // Not committed yet: then what is committed is the release before.
    return git('rev-parse', '--verify', added ? `${added}^` : 'HEAD');
  } catch {
    return null;
  }
}

/** That commit's server and contract, with our packages. */
function layOut(commit: string, tree: string): void {
  run([
    'bash',
    '-c',
    'git -C "$1" archive "$2" contract server package.json | tar -x -C "$3"',
    'bash',
    root,
    commit,
    tree,
  ]);
  // Not the folder as a whole: in it stands a link to our own contract.
  mkdirSync(join(tree, 'node_modules/@unsaid'), { recursive: true });
  for (const name of readdirSync(`${root}node_modules`))
    if (name !== '@unsaid') symlinkSync(`${root}node_modules/${name}`, join(tree, 'node_modules', name));
  symlinkSync(join(tree, 'contract'), join(tree, 'node_modules/@unsaid/contract'));
  for (const workspace of ['server', 'contract'])
    symlinkSync(`${root}${workspace}/node_modules`, join(tree, workspace, 'node_modules'));
  mkdirSync(join(tree, 'web/dist'), { recursive: true });
}

interface Listed {
  readonly vents: { readonly title: string }[];
}

/** What people do most, once each. Gives the title of what was said. */
async function live(author: Person, reader: Person, title: string): Promise<string> {
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
    // Only the proof with a code may be asked for first.
    if (!error.message.includes(' 403 ')) throw error;
  });
  return title;
}

/** What somebody wrote as Anonymous must be found by either server, whichever of them took it. */
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

/** Of the migrations that the release before does not have, the first that says it cannot run beside it. */
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

const before = findBefore();
const breaking = before === null || !hasFolders(before) ? null : findBreaking(before);
if (before === null) {
  console.log('rollback: this clone does not reach back to the release before; not tried');
} else if (!hasFolders(before)) {
  console.log('rollback: the newest migrations are the baseline: nothing to roll back to');
} else if (breaking !== null) {
  console.log(`rollback: not tried. ${breaking}`);
} else {
  const tree = `${mkdtempSync(join(tmpdir(), 'unsaid-before-'))}/`;
  const services = findServices();
  const database = `unsaid_rollback_${process.pid}`;
  const outboxFile = join(tree, 'outbox.jsonl');
  const env = {
    NODE_ENV: 'test',
    DATABASE_URL: urlOfDatabase(services.DATABASE_URL, database),
    REDIS_URL: services.REDIS_URL,
    REDIS_PREFIX: `${database}:`,
    REDIS_TIMEOUT_MS: '2000',
    SMS_OUTBOX_FILE: outboxFile,
    PHONE_INDEX_COST: '4',
    SERVICES: 'api',
    LOG_LEVEL: 'warn',
  };
  try {
    layOut(before, tree);
    run([process.execPath, `${root}server/src/bin/migrate.ts`], env);
    say(`migrated up to ${newest}`);
    const old = await startServer(tree, env);
    const today = await startServer(root, env);
    say(`ready on it: the server of ${before.slice(0, 7)}, and today's`);

    const author = await signIn(old.origin, '+919812300001', outboxFile);
    const reader = await signIn(today.origin, '+919812300002', outboxFile);
    await live(author, { ...reader, origin: old.origin }, 'Said to the old one');
    say(
      'the old one: signs in, vents, lists, comments, reacts, searches, matches; a session of the new one opens it',
    );
    await live({ ...author, origin: today.origin }, reader, 'Said to the new one');
    say('the new one: the same, with a session of the old one');
    const both = [old.origin, today.origin];
    await confirm(reader, '+919812300002', outboxFile);
    await findOwn(reader, ['Said to the old one', 'Said to the new one'], [...both, ...both]);
    say('what was written as Anonymous to one of them in turns is in the export of either');
    const again = await signIn(old.origin, '+919812300002', outboxFile);
    if ((await idOf(again)) !== (await idOf(reader)))
      throw new Error('a number that signed up with the new one gets a second account from the old one');
    say('a number that signed up with the new one finds its account with the old one');
    // What the new one wrote, the old one must be able to read.
    const { vents } = (await call(
      { ...author, origin: old.origin },
      'GET',
      '/api/vent/all',
    )) as unknown as Listed;
    if (vents.length !== 2) throw new Error(`the old one lists ${vents.length} of 2 vents`);
    console.log(`rollback: ${before.slice(0, 7)} runs on ${newest}, beside today's`);
  } finally {
    await endAll();
    run([
      'psql',
      '-Xqd',
      urlOfDatabase(services.DATABASE_URL, 'postgres'),
      '-c',
      `drop database if exists ${database} with (force)`,
    ]);
    rmSync(tree, { recursive: true });
  }
}
