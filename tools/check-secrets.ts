/**
 * npm run secrets: nothing that opens a door is in the repository. Looks at every file git would take, and at
 * nothing else: the point is what others get to see.
 */
import { readFileSync } from 'node:fs';
import { filesInGit } from './files.ts';
import { conclude, root } from './test-reports.ts';

const kinds: Record<string, RegExp> = {
  'a session': /uns_[A-Za-z0-9_-]{43}/u,
  'a private key': /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/u,
  'a key of Twilio': /\b(?:AC|SK)[0-9a-f]{32}\b/u,
  'a key of a cloud': /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/u,
  'a token of a code host': /\b(?:ghp|gho|ghs|glpat|npm)_[A-Za-z0-9]{20,}/u,
  'a password in an address': /\b[a-z]+:\/\/[a-z0-9_-]+:[^@/\s'"`$<{…]{3,}@/u,
  // 32 bytes, as a master key is, in either spelling.
  '32 bytes in hex': /\b[0-9a-f]{64}\b/u,
  '32 bytes in base64': /(?<![A-Za-z0-9+/=-])[A-Za-z0-9+/]{43}=(?![A-Za-z0-9+/=])/u,
};

/** Hashes, not keys: of the packages, and of the pictures in the built web's own lists. */
const isList = (file: string) => file.endsWith('package-lock.json');

const files = filesInGit().filter((file) => !isList(file));

const problems: string[] = [];
for (const file of files) {
  for (const [n, line] of readFileSync(`${root}${file}`, 'latin1').split('\n').entries()) {
    for (const [kind, pattern] of Object.entries(kinds))
      if (pattern.test(line)) problems.push(`${file}:${n + 1}  looks like ${kind}`);
  }
}
conclude(problems, `secrets: none in ${files.length} files`);
