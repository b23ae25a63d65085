/**
 * npm run supply: what we take from others. Every package is pinned to its bytes, comes from the registry, runs
 * nothing while it is installed, and is not older than the version that mended a known hole. What we depend on
 * directly is few, and each has its reason written down. Writes the bill of what is shipped to reports/sbom.json.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { conclude, root } from './test-reports.ts';

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

interface Lock {
  readonly lockfileVersion: number;
  readonly packages: Record<string, Locked>;
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(`${root}${path}`, 'utf8'));
const problems: string[] = [];
const workspaces = ['', 'contract', 'server', 'web', 'e2e'];
const mostForProduction = 25;

function checkLock(path: string): number {
  const { lockfileVersion, packages } = readJson(path) as Lock;
  if (lockfileVersion !== 3) problems.push(`${path}: version ${lockfileVersion}, not 3`);
  const taken = Object.entries(packages).filter(([place]) => place.includes('node_modules/'));
  for (const [place, { link, inBundle, integrity, resolved, hasInstallScript }] of taken) {
    // A bundled one travels inside the package that brings it, and under its hash.
    if (link || inBundle) continue;
    if (!integrity?.startsWith('sha512-')) problems.push(`${path}: ${place} is not pinned to its bytes`);
    if (resolved !== undefined && !resolved.startsWith('https://'))
      problems.push(`${path}: ${place} does not come from the registry`);
    if (hasInstallScript) problems.push(`${path}: ${place} wants to run something when it is installed`);
  }
  return taken.length;
}

/** As npm compares them, for the plain versions that floors and locked packages have. */
function isBelow(version: string, least: string): boolean {
  const [one, other] = [version, least].map((text) => text.split('-')[0]?.split('.').map(Number) ?? []);
  for (let n = 0; n < 3; n += 1) {
    const difference = (one?.[n] ?? 0) - (other?.[n] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return version.includes('-');
}

function checkFloors(): number {
  const floors = readJson('security/floors.json') as Record<string, { least: string; because: string }>;
  const { packages } = readJson('package-lock.json') as Lock;
  for (const [name, { least, because }] of Object.entries(floors)) {
    const places = Object.entries(packages).filter(([place]) => place.endsWith(`node_modules/${name}`));
    if (places.length === 0) problems.push(`security/floors.json: ${name} is not used any more`);
    if (!/(?:CVE|GHSA)-/u.test(because)) problems.push(`security/floors.json: ${name} names no advisory`);
    for (const [place, { version = '0' }] of places)
      if (isBelow(version, least)) problems.push(`${place} is ${version}, below ${least}: ${because}`);
  }
  return Object.keys(floors).length;
}

function checkDirect(): number {
  const reasons = readFileSync(`${root}docs/dependencies.md`, 'utf8');
  const forProduction = new Set<string>();
  for (const workspace of workspaces) {
    const file = `${workspace ? `${workspace}/` : ''}package.json`;
    const { dependencies = {}, devDependencies = {} } = readJson(file) as Locked;
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      if (name.startsWith('@unsaid/')) continue;
      if (!/^\d+\.\d+\.\d+$/u.test(version)) problems.push(`${file}: ${name} is not at one exact version`);
      if (!reasons.includes(`\`${name}\``)) problems.push(`docs/dependencies.md: no reason for ${name}`);
      if (name in dependencies) forProduction.add(name);
    }
  }
  if (forProduction.size > mostForProduction)
    problems.push(`${forProduction.size} packages for production, more than ${mostForProduction}`);
  return forProduction.size;
}

function writeBill(): number {
  const bill = execFileSync(
    'npm',
    ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--omit', 'dev'],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const { bomFormat, components } = JSON.parse(bill) as { bomFormat: string; components: unknown[] };
  if (bomFormat !== 'CycloneDX' || components.length === 0) problems.push('npm sbom wrote no bill');
  mkdirSync(`${root}reports`, { recursive: true });
  writeFileSync(`${root}reports/sbom.json`, bill);
  return components.length;
}

const locked = checkLock('package-lock.json') + checkLock('tools/node/package-lock.json');
const floors = checkFloors();
const direct = checkDirect();
const listed = writeBill();
conclude(
  problems,
  `supply: ${locked} locked packages, ${direct} direct ones for production, ${floors} floors, ${listed} in the bill`,
);
