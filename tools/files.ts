import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What git has or would take, of these patterns or of any; paths from the root of the repository. */
export function filesInGit(...patterns: readonly string[]): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z', ...patterns], {
    cwd: root,
    encoding: 'utf8',
  });
  // Git goes on naming what was taken away until that is committed.
  return listed.split('\0').filter((file) => file !== '' && existsSync(`${root}${file}`));
}
