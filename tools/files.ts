import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Tracked and untracked files that git does not ignore, by patterns; paths from the root of the repository. */
export function filesInGit(...patterns: readonly string[]): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z', ...patterns], {
    cwd: root,
    encoding: 'utf8',
  });
  // Git lists deleted files until the deletion is committed.
  return listed.split('\0').filter((file) => file !== '' && existsSync(`${root}${file}`));
}
