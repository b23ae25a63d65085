/** npm run check:secrets: no credentials in the repository. Scans every file that git tracks or would add. */
import { readFileSync } from 'node:fs';
import { filesInGit } from './files.ts';
import { conclude, root } from './test-reports.ts';

const kinds: Record<string, RegExp> = {
  'a session token': /uns_[A-Za-z0-9_-]{43}/u,
  'a private key': /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/u,
  'a Twilio key': /\b(?:AC|SK)[0-9a-f]{32}\b/u,
  'a cloud access key': /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/u,
  'a code host token': /\b(?:ghp|gho|ghs|glpat|npm)_[A-Za-z0-9]{20,}/u,
  'a password in a URL': /\b[a-z]+:\/\/[a-z0-9_-]+:[^@/\s'"`$<{…]{3,}@/u,
  // The size of a master key.
  '32 bytes in hex': /\b[0-9a-f]{64}\b/u,
  '32 bytes in base64': /(?<![A-Za-z0-9+/=-])[A-Za-z0-9+/]{43}=(?![A-Za-z0-9+/=])/u,
};

/** Integrity hashes look like keys. */
const holdsHashes = (file: string) => /(?:package-lock\.json|sha256sums)$/u.test(file);

const files = filesInGit().filter((file) => !holdsHashes(file));

const problems: string[] = [];
for (const file of files) {
  for (const [n, line] of readFileSync(`${root}${file}`, 'latin1').split('\n').entries()) {
    for (const [kind, pattern] of Object.entries(kinds))
      if (pattern.test(line)) problems.push(`${file}:${n + 1}  looks like ${kind}`);
  }
}
conclude(problems, `secrets: none in ${files.length} files`);
