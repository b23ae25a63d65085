/**
 * npm run check:deps: supply chain. Every locked package has an integrity hash, comes from the registry, has no install
 * script, and is not below the version that fixed a known vulnerability (security/floors.json). Direct dependencies are
 * few, exact in version, and each has a reason in docs/dependencies.md. Writes the SBOM to reports/sbom.json.
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
const { workspaces } = readJson('package.json') as { readonly workspaces: readonly string[] };
const maxProductionDependencies = 25;

function checkLock(path: string): number {
  const { lockfileVersion, packages } = readJson(path) as Lock;
  if (lockfileVersion !== 3) problems.push(`${path}: version ${lockfileVersion}, not 3`);
  const locked = Object.entries(packages).filter(([place]) => place.includes('node_modules/'));
  for (const [place, { link, inBundle, integrity, resolved, hasInstallScript }] of locked) {
    // A bundled package is part of its parent's archive and covered by its hash.
    if (link || inBundle) continue;
    if (!integrity?.startsWith('sha512-')) problems.push(`${path}: ${place} has no sha512 integrity`);
    if (resolved !== undefined && !resolved.startsWith('https://'))
      problems.push(`${path}: ${place} does not come from the registry`);
    if (hasInstallScript) problems.push(`${path}: ${place} has an install script`);
  }
  return locked.length;
}

/** Compares as npm does, for plain versions and prerelease suffixes. */
function isBelow(version: string, minimum: string): boolean {
  const [one, other] = [version, minimum].map((text) => text.split('-')[0]?.split('.').map(Number) ?? []);
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
  const production = new Set<string>();
  for (const file of ['package.json', ...workspaces.map((workspace) => `${workspace}/package.json`)]) {
    const { dependencies = {}, devDependencies = {} } = readJson(file) as Locked;
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      if (name.startsWith('@unsaid/')) continue;
      if (!/^\d+\.\d+\.\d+$/u.test(version))
        problems.push(`${file}: ${name} is not pinned to an exact version`);
      if (!reasons.includes(`\`${name}\``)) problems.push(`docs/dependencies.md: no reason for ${name}`);
      if (name in dependencies) production.add(name);
    }
  }
  if (production.size > maxProductionDependencies)
    problems.push(`${production.size} production dependencies, more than ${maxProductionDependencies}`);
  return production.size;
}

function writeSbom(): number {
  const sbom = execFileSync(
    'npm',
    ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--omit', 'dev'],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const { bomFormat, components } = JSON.parse(sbom) as { bomFormat: string; components: unknown[] };
  if (bomFormat !== 'CycloneDX' || components.length === 0) problems.push('npm sbom wrote no components');
  mkdirSync(`${root}reports`, { recursive: true });
  writeFileSync(`${root}reports/sbom.json`, sbom);
  return components.length;
}

const locked = checkLock('package-lock.json') + checkLock('tools/node/package-lock.json');
const floors = checkFloors();
const direct = checkDirect();
const listed = writeSbom();
conclude(
  problems,
  `dependencies: ${locked} locked packages, ${direct} direct production dependencies, ${floors} minimum versions, ${listed} components in the SBOM`,
);
