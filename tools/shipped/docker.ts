/**
 * Stands in for docker on a machine without its daemon: runs the services of deploy/compose.yaml as processes, with their
 * commands, environments, users, rights, volumes and networks. Each has files and an address of its own, as a container. What
 * an image holds are the programs of this machine, and the repository; nothing is built, and nothing is restarted.
 */
import { execFileSync, spawn, spawnSync, type StdioOptions } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const repo = fileURLToPath(new URL('../..', import.meta.url));
const deploy = join(repo, 'deploy');
const state = '/run/docker';
// The daemon's, whatever the shell has.
process.umask(0o022);
mkdirSync(join(state, 'root'), { recursive: true });
const read = (file: string) => readFileSync(file, 'utf8');
const run = (file: string, ...args: string[]) => execFileSync(file, args, { encoding: 'utf8' }).trim();

interface Service {
  readonly image: string;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly env_file?: readonly string[];
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly networks: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly deploy?: { readonly replicas?: number };
  readonly profiles?: readonly string[];
  readonly restart?: string;
  readonly stop_grace_period?: string;
}
/** What a service may say. The last ones are for docker alone. */
const known = new Set(
  'image entrypoint command environment env_file user read_only cap_drop cap_add volumes tmpfs networks ports depends_on healthcheck deploy profiles restart stop_grace_period build security_opt logging shm_size'.split(
    ' ',
  ),
);
interface Project {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<
    Record<string, { readonly internal?: boolean; readonly ipam?: { config: { subnet: string }[] } } | null>
  >;
  readonly volumes: Readonly<Record<string, { readonly driver_opts?: { readonly o?: string } } | null>>;
}

function fail(message: string): never {
  console.error(`docker: ${message}`);
  process.exit(1);
}

const readEnv = (file: string): Record<string, string> =>
  Object.fromEntries(
    [...read(join(deploy, file)).matchAll(/^([A-Z]\w*)=(.*)$/gmu)].map(([, name = '', value = '']) => [
      name,
      value.replaceAll(/^(["'])(.*)\1$/gu, '$2'),
    ]),
  );

function readProject(): Project {
  const env = readEnv('.env');
  const text = read(join(deploy, 'compose.yaml')).replaceAll(
    /\$\{(\w+)(:[-?])([^}]*)\}/gu,
    (_, name: string, kind: string, rest: string) =>
      env[name] || (kind === ':-' ? rest : fail(`${name}: ${rest}`)),
  );
  const project = parse(text, { merge: true }) as Project;
  for (const [name, service] of Object.entries(project.services))
    for (const key of Object.keys(service)) if (!known.has(key)) fail(`${name}: nothing here knows ${key}`);
  return project;
}

interface Image {
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly user?: string;
  readonly folder?: string;
  readonly healthcheck?: readonly string[];
  /** Arguments for what the image's own build has as its default. */
  readonly more?: readonly string[];
  /** Folders of the machine that it has. */
  readonly has?: Readonly<Record<string, string>>;
}

/** Ours from its Dockerfile; the others as their publishers describe them, with Debian's programs. */
function imageOf(name: string): Image {
  const file = read(join(deploy, 'Dockerfile'));
  const wordsAfter = (pattern: RegExp) => JSON.parse(pattern.exec(file)?.[1] ?? '[]') as string[];
  const nobody = { user: '65534:65534', folder: '/' };
  const images: Readonly<Record<string, Image>> = {
    unsaid: {
      command: wordsAfter(/^CMD (\[.*\])$/mu),
      healthcheck: wordsAfter(/^HEALTHCHECK .*CMD (\[.*\])$/mu),
      user: /^USER (.*)$/mu.exec(file)?.[1] ?? '',
      env: Object.fromEntries(
        [...file.matchAll(/^ENV (\w+)=(.*)$/gmu)].map(([, key, value]) => [key, value]),
      ),
      folder: '/app',
      has: { '/app': repo },
    },
    'unsaid-backup': {},
    postgres: { env: { PGDATA: '/var/lib/postgresql/data' } },
    redis: { folder: '/data', more: ['--protected-mode', 'no'] },
    caddy: {
      command: ['caddy', 'run', '--config', '/etc/caddy/Caddyfile', '--adapter', 'caddyfile'],
      env: { XDG_CONFIG_HOME: '/config', XDG_DATA_HOME: '/data' },
      folder: '/srv',
    },
    'prom/prometheus': { entrypoint: ['prometheus'], ...nobody },
    'prom/alertmanager': { entrypoint: ['prometheus-alertmanager'], ...nobody },
    'prom/node-exporter': { entrypoint: ['prometheus-node-exporter'], ...nobody },
  };
  return images[name.split(':')[0] ?? ''] ?? fail(`nothing here stands in for the image ${name}`);
}

/** What `docker inspect` would show. */
interface Container {
  readonly service: string;
  readonly pid: number;
  readonly addresses: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly definition: string;
  readonly begun: number;
  readonly healthySeconds?: number;
  readonly exitCode?: number;
}
const fileOf = (name: string) => join(state, `${name}.json`);
/** In one step: another process reads it at any moment. */
function save(name: string, container: Container): void {
  const half = `${fileOf(name)}.${process.pid}`;
  writeFileSync(half, JSON.stringify(container));
  renameSync(half, fileOf(name));
}
const containers = (): [string, Container][] =>
  readdirSync(state)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => {
      try {
        return [[file.slice(0, -5), JSON.parse(read(join(state, file))) as Container]];
      } catch (error) {
        // Another process has stopped it meanwhile.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
        throw error;
      }
    });
function isRunning({ pid }: Container): boolean {
  try {
    return !read(`/proc/${pid}/stat`).includes(') Z ');
  } catch {
    return false;
  }
}

// Networks: a bridge each, where the machine has the first address.
const networkNames = (project: Project) => Object.keys(project.networks);
function prefixOf(project: Project, network: string): string {
  const [given] = project.networks[network]?.ipam?.config ?? [];
  return (given?.subnet ?? `172.31.${networkNames(project).indexOf(network)}.0/24`).replace(/\.0\/24$/u, '');
}
function makeNetworks(project: Project): void {
  if (existsSync(join(state, 'daemon'))) return;
  for (const network of networkNames(project)) {
    run('ip', 'link', 'add', `br-${network}`, 'type', 'bridge');
    run('ip', 'addr', 'add', `${prefixOf(project, network)}.1/24`, 'dev', `br-${network}`);
    run('ip', 'link', 'set', `br-${network}`, 'up');
  }
  const log = openSync(join(state, 'daemon'), 'a');
  const args = [fileURLToPath(import.meta.url), 'docker', 'daemon'];
  spawn(process.execPath, args, { detached: true, stdio: ['ignore', log, log] }).unref();
}
function connectTo(project: Project, name: string, networks: readonly string[]): Record<string, string> {
  const addresses: Record<string, string> = {};
  spawnSync('ip', ['netns', 'delete', name]);
  run('ip', 'netns', 'add', name);
  run('ip', '-n', name, 'link', 'set', 'lo', 'up');
  for (const [index, network] of networks.entries()) {
    const prefix = prefixOf(project, network);
    let host = 10;
    const end = () => `${network}-${host}`;
    // The name of the other end says whose address it is.
    const add = () =>
      spawnSync('ip', ['link', 'add', end(), 'type', 'veth', 'peer', 'name', `eth${index}`, 'netns', name])
        .status;
    while (add() !== 0) if ((host += 1) > 250) fail(`no address for ${name} in ${network}`);
    const address = `${prefix}.${host}`;
    run('ip', 'link', 'set', end(), 'master', `br-${network}`, 'up');
    run('ip', '-n', name, 'addr', 'add', `${address}/24`, 'dev', `eth${index}`);
    run('ip', '-n', name, 'link', 'set', `eth${index}`, 'up');
    if (project.networks[network]?.internal !== true)
      spawnSync('ip', ['-n', name, 'route', 'add', 'default', 'via', `${prefix}.1`]);
    addresses[network] = address;
  }
  return addresses;
}

/** Names of services, and the published ports of Caddy, as docker's daemon serves them. */
function serve(project: Project): void {
  const env = readEnv('.env');
  const sites = new Set([env['SITE'], env['MOD_SITE']]);
  const networksOf = (address: string) =>
    containers().flatMap(([, { addresses }]) =>
      Object.values(addresses).includes(address) ? Object.keys(addresses) : [],
    );
  for (const network of networkNames(project)) {
    const gateway = `${prefixOf(project, network)}.1`;
    const socket = createSocket('udp4');
    socket.on('message', (query, { address, port }) => {
      const labels: string[] = [];
      let at = 12;
      for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
        labels.push(query.subarray(at + 1, at + 1 + length).toString());
        at += length + 1;
      }
      const name = labels.join('.').toLowerCase();
      const found = sites.has(name)
        ? [gateway]
        : containers()
            .filter(([, one]) => one.service === name && isRunning(one))
            .flatMap(([, { addresses }]) => Object.entries(addresses))
            // Those of the networks that the asking container is in.
            .flatMap(([where, ip]) => (networksOf(address).includes(where) ? ip : []));
      const isA = query.readUInt16BE(at + 1) === 1;
      const answers = (isA ? found : []).map((ip) =>
        Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...ip.split('.').map(Number)]),
      );
      const head = Buffer.from(query.subarray(0, 12));
      head.writeUInt16BE(found.length === 0 ? 0x8183 : 0x8180, 2);
      head.writeUInt16BE(answers.length, 6);
      head.writeUInt32BE(0, 8);
      socket.send(Buffer.concat([head, query.subarray(12, at + 5), ...answers]), port, address);
    });
    socket.bind(53, gateway);
  }
  for (const [service, { ports = [] }] of Object.entries(project.services))
    for (const [port, to] of ports.filter((one) => !one.endsWith('/udp')).map((one) => one.split(':')))
      createServer((socket) => {
        const found = containers().find(([, one]) => one.service === service && isRunning(one))?.[1];
        const host = Object.values(found?.addresses ?? {})[0];
        // Without a host it would connect to itself, without end.
        if (host === undefined) return socket.destroy();
        const other = connect(Number(to), host);
        for (const [one, two] of [
          [socket, other],
          [other, socket],
        ] as const) {
          one.on('error', () => two.destroy());
          one.pipe(two);
        }
      }).listen(Number(port));
}

interface RunOptions {
  readonly words?: readonly string[];
  readonly user?: string | undefined;
  readonly volumes?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

function volumeFolder(project: Project, name: string, owner: string): string {
  const folder = `/var/lib/docker/volumes/unsaid_${name}`;
  if (existsSync(folder)) return folder;
  mkdirSync(folder, { recursive: true });
  const mode = /mode=(\d+)/u.exec(project.volumes[name]?.driver_opts?.o ?? '')?.[1] ?? '755';
  run('chmod', mode, folder);
  run('chown', owner, folder);
  if (name === 'certificates') {
    mkdirSync(`${folder}/caddy`);
    run('cp', '-r', '/var/lib/caddy/.local/share/caddy/pki', `${folder}/caddy/`);
    run('chown', '-R', '0:0', folder);
  }
  return folder;
}

/** The command of a container: a root of its own, then the user without the rights of root. */
function prepare(project: Project, name: string, service: string, options: RunOptions) {
  const definition = project.services[service] ?? fail(`no such service: ${service}`);
  const image = imageOf(definition.image);
  const user = options.user ?? definition.user ?? image.user ?? '0:0';
  const [uid = '0', gid = uid] = user.split(':');
  const entrypoint = definition.entrypoint ?? image.entrypoint ?? [];
  const usual = definition.command ?? (definition.entrypoint ? [] : (image.command ?? []));
  const words = options.words ?? [...usual, ...(image.more ?? [])];
  const env: Record<string, string> = {
    PATH: `/run/image:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:${run('bash', '-c', 'ls -d /usr/lib/postgresql/*/bin | tail -n 1')}`,
    HOME: '/',
    // What stands in for the public authority (machine.sh).
    NODE_EXTRA_CA_CERTS: '/run/image/authority.crt',
    ...image.env,
    ...Object.assign({}, ...(definition.env_file ?? []).map(readEnv)),
    ...Object.fromEntries(
      Object.entries(definition.environment ?? {}).map(([key, value]) => [key, String(value)]),
    ),
    ...options.env,
  };
  const addresses = connectTo(project, name, definition.networks);
  const gateway = Object.values(addresses)[0]?.replace(/\d+$/u, '1') ?? '';
  const root = join(state, 'root');
  const lines = [
    'set -e',
    'mount --make-rprivate /',
    `mount -t tmpfs -o mode=755 tmpfs ${root}`,
    `bash ${repo}tools/shipped/root.sh ${root}`,
    // The official images' postgres.
    `sed -i -E '/^[^:]*:x:999:/d; s/^postgres:x:[0-9]+:[0-9]*:?/postgres:x:999:999:/' ${root}/etc/passwd`,
    `sed -i -E '/^[^:]*:x:999:/d; s/^postgres:x:[0-9]+:/postgres:x:999:/' ${root}/etc/group`,
    `printf '127.0.0.1 localhost\\n' >${root}/etc/hosts`,
    `printf 'nameserver ${gateway}\\noptions timeout:5 attempts:3\\n' >${root}/etc/resolv.conf`,
    `mkdir ${root}/run/image && cp /trial/authority.crt ${root}/run/image/`,
    `ln -s ${run('realpath', process.execPath)} ${root}/run/image/node`,
    `ln -s /usr/bin/prometheus-alertmanager ${root}/run/image/alertmanager`,
  ];
  const bind = (from: string, to: string, how = '') =>
    lines.push(
      `if [ -d ${from} ]; then mkdir -p ${root}${to}; elif [ ! -e ${root}${to} ]; then mkdir -p $(dirname ${root}${to}); touch ${root}${to}; fi`,
      `mount --${how.includes('rslave') ? 'rbind' : 'bind'} ${from} ${root}${to}`,
      ...(/\bro\b/u.test(how) ? [`mount -o remount,bind,ro ${root}${to}`] : []),
    );
  // Where the image has Node, it is the repository's.
  bind(repo, repo, 'ro');
  for (const [to, from] of Object.entries(image.has ?? {})) bind(from, to, 'ro');
  for (const line of [...(definition.volumes ?? []), ...(options.volumes ?? [])]) {
    const [from = '', to = '', how] = line.split(':');
    const isNamed = !/^[./]/u.test(from);
    const folder = isNamed
      ? volumeFolder(project, from, `${uid}:${gid}`)
      : join('/', from.startsWith('.') ? join(deploy, from) : from);
    // As docker does, for root.
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
    bind(folder, to, how);
  }
  for (const line of definition.tmpfs ?? []) {
    const [to = '', how = 'mode=1777'] = line.split(':');
    lines.push(`mkdir -p ${root}${to}`, `mount -t tmpfs -o ${how} tmpfs ${root}${to}`);
  }
  if (definition.read_only) lines.push(`mount -o remount,ro ${root}`);
  const isBare = definition.cap_drop?.includes('ALL') === true;
  const added = (definition.cap_add ?? []).map((one) => `+${one.toLowerCase()}`);
  const rights = isBare
    ? [`--bounding-set=${['-all', ...added].join(',')}`, `--inh-caps=${['-all', ...added].join(',')}`]
    : [];
  const argv = [
    ...['ip', 'netns', 'exec', name, 'unshare', '--mount', 'bash', '-c'],
    `${lines.join('\n')}\nexec chroot ${root} "$@"`,
    ...['bash', 'setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs', ...rights],
    ...['sh', '-c', `cd ${image.folder ?? '/'} && exec "$@"`, 'sh', ...entrypoint, ...words],
  ];
  return { argv, env, addresses, user };
}

/** A command in a running container, as its user. */
function execIn(
  container: Container,
  words: readonly string[],
  stdio: 'inherit' | 'ignore' = 'inherit',
): number {
  const [uid = '0', gid = uid] = container.user.split(':');
  const enter = ['-t', String(container.pid), '-m', '-n', '-r', '-w', '-S', uid, '-G', gid];
  return spawnSync('nsenter', [...enter, '--', ...words], { env: container.env, stdio }).status ?? 1;
}

/** What the image of PostgreSQL does before its command: a new cluster where the volume is empty. */
function initDatabase(project: Project): void {
  const { environment = {}, user = '' } = project.services['postgres'] ?? {};
  const data = volumeFolder(project, 'postgres', user);
  if (readdirSync(data).length > 0) return;
  const script = `set -e; cd /tmp; echo "$POSTGRES_PASSWORD" >/tmp/password
    initdb -U postgres --pwfile /tmp/password --auth-local=trust $POSTGRES_INITDB_ARGS
    echo "create database $POSTGRES_DB" | postgres --single postgres
    echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf"`;
  const { argv, env } = prepare(project, 'init', 'postgres', {
    words: ['bash', '-c', script],
    env: { ...environment, LC_ALL: 'C.UTF-8' },
  });
  const { status, stderr } = spawnSync(argv[0] ?? '', argv.slice(1), { env, encoding: 'utf8' });
  run('ip', 'netns', 'delete', 'init');
  if (status !== 0) fail(`no cluster: ${stderr}`);
}

const begunServices = new Map<string, Promise<void>>();
/** Those that wait for the same start together: a commit of one may wait for another, the receiver of the log. */
function startService(project: Project, service: string): Promise<void> {
  const begun = begunServices.get(service) ?? startOnce(project, service);
  begunServices.set(service, begun);
  return begun;
}

async function startOnce(project: Project, service: string): Promise<void> {
  const definition = project.services[service] ?? fail(`no such service: ${service}`);
  for (const [other, { condition }] of Object.entries(definition.depends_on ?? {})) {
    await startService(project, other);
    if (condition === 'service_healthy') await untilHealthy(project, other);
  }
  const text = JSON.stringify([definition, (definition.env_file ?? []).map(readEnv)]);
  if (service === 'postgres') initDatabase(project);
  for (let replica = 1; replica <= (definition.deploy?.replicas ?? 1); replica += 1) {
    const name = `${service}-${replica}`;
    const old = containers().find(([one]) => one === name)?.[1];
    if (
      old &&
      (isRunning(old) || old.exitCode === 0) &&
      old.definition === text &&
      definition.restart !== 'no'
    )
      continue;
    if (old) await stop(name, old);
    const { argv, ...prepared } = prepare(project, name, service, {});
    const log = openSync(join(state, `${name}.log`), 'a');
    const stdio: StdioOptions = ['ignore', log, log];
    const options = { env: prepared.env, detached: true, stdio };
    const [file = '', ...args] = argv;
    const container = { ...prepared, service, definition: text, begun: Date.now(), pid: process.pid };
    // It may ask for a name at once.
    save(name, container);
    if (definition.restart === 'no') {
      const [status] = (await once(spawn(file, args, options), 'close')) as [number | null];
      const exitCode = status ?? 1;
      save(name, { ...container, pid: 0, exitCode });
      if (exitCode !== 0)
        fail(
          `service "${service}" didn't complete successfully: exit ${exitCode}\n${read(join(state, `${name}.log`)).slice(-2000)}`,
        );
    } else {
      const child = spawn(file, args, options);
      save(name, { ...container, pid: child.pid ?? 0 });
      child.unref();
    }
  }
}

async function untilHealthy(project: Project, service: string): Promise<void> {
  const { image, healthcheck } = project.services[service] ?? fail(`no such service: ${service}`);
  const test = healthcheck?.disable ? [] : (healthcheck?.test?.slice(1) ?? imageOf(image).healthcheck ?? []);
  for (const [name] of containers().filter(([, one]) => one.service === service))
    for (;;) {
      const container = JSON.parse(read(fileOf(name))) as Container;
      if (container.exitCode === 0 || container.healthySeconds !== undefined) break;
      if (!isRunning(container))
        fail(`container unsaid-${name} exited\n${read(join(state, `${name}.log`)).slice(-2000)}`);
      const seconds = (Date.now() - container.begun) / 1000;
      if (test.length === 0 || execIn(container, test, 'ignore') === 0)
        save(name, { ...container, healthySeconds: seconds });
      else if (seconds > 180) fail(`container unsaid-${name} is unhealthy`);
      else await sleep(200);
    }
}

async function stop(name: string, container: Container): Promise<void> {
  if (isRunning(container)) {
    // PostgreSQL's image asks for a fast shutdown.
    process.kill(container.pid, container.service === 'postgres' ? 'SIGINT' : 'SIGTERM');
    for (let waited = 0; isRunning(container) && waited < 600; waited += 1) await sleep(100);
    if (isRunning(container)) process.kill(container.pid, 'SIGKILL');
  }
  rmSync(fileOf(name), { force: true });
}

async function compose(words: readonly string[]): Promise<void> {
  const project = readProject();
  const flags = new Map<string, string[]>();
  const said: string[] = [];
  const withValue = new Set(['-f', '-v', '-e', '--user', '--since']);
  // After the name of a service every word is its command's.
  const isLast = () => said.length >= 2 && ['run', 'exec'].includes(said[0] ?? '');
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (isLast() || !word.startsWith('-')) said.push(word);
    else
      flags.set(word, [...(flags.get(word) ?? []), ...(withValue.has(word) ? [words[(at += 1)] ?? ''] : [])]);
  }
  const [action = '', ...names] = said;
  const of = (service: string) => containers().filter(([, one]) => one.service === service);
  if (action === 'up') {
    makeNetworks(project);
    const wanted =
      names.length > 0
        ? names
        : Object.keys(project.services).filter((name) => !project.services[name]?.profiles);
    await Promise.all(wanted.map((name) => startService(project, name)));
    if (flags.has('--wait')) for (const name of wanted) await untilHealthy(project, name);
  } else if (action === 'down' || action === 'stop') {
    const wanted = names.length > 0 ? names : Object.keys(project.services).toReversed();
    // As compose does, a service before those that it depends on: PostgreSQL is the last.
    const ordered = wanted.toSorted((a, b) => Number(a === 'postgres') - Number(b === 'postgres'));
    for (const name of ordered) await Promise.all(of(name).map(([one, container]) => stop(one, container)));
  } else if (action === 'run') {
    makeNetworks(project);
    const [service = '', ...command] = names;
    const own = Object.fromEntries(
      (flags.get('-e') ?? []).map((name) => [
        name.split('=')[0] ?? '',
        name.split('=')[1] ?? process.env[name] ?? '',
      ]),
    );
    const options = {
      user: flags.get('--user')?.[0],
      volumes: flags.get('-v') ?? [],
      env: own,
      ...(command.length > 0 ? { words: command } : {}),
    };
    const name = `run-${process.pid}`;
    const { argv, ...rest } = prepare(project, name, service, options);
    save(name, { ...rest, service: name, definition: '', begun: 0, pid: process.pid });
    process.exitCode =
      spawnSync(argv[0] ?? '', argv.slice(1), { env: rest.env, stdio: 'inherit' }).status ?? 1;
    rmSync(fileOf(name));
    run('ip', 'netns', 'delete', name);
  } else if (action === 'exec') {
    const [service = '', ...command] = names;
    process.exitCode = execIn(of(service)[0]?.[1] ?? fail(`service "${service}" is not running`), command);
  } else if (action === 'logs') {
    for (const name of names)
      for (const [one] of of(name)) process.stdout.write(read(join(state, `${one}.log`)));
  } else if (action === 'ps') {
    for (const name of names) for (const [id, one] of of(name)) if (isRunning(one)) console.log(id);
  } else fail(`compose: unknown: ${words.join(' ')}`);
}

const [, ...words] = process.argv.slice(2);
if (words[0] === 'compose') await compose(words.slice(1));
else if (words[0] === 'exec')
  process.exitCode = execIn(
    containers().find(([id]) => id === words[1])?.[1] ?? fail(`no such container: ${words[1]}`),
    words.slice(2),
  );
else if (words[0] === 'daemon') serve(readProject());
else if (words[0] === 'volume' && words[1] === 'rm')
  for (const name of words.slice(2).filter((word) => !word.startsWith('-')))
    rmSync(join('/var/lib/docker/volumes', name), { recursive: true, force: true });
else if (words[0] !== 'info') fail(`unknown: ${words.join(' ')}`);
