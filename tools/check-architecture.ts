/**
 * Rules about text that no lint rule covers. Prints each breach as file:line and fails. The direction of imports,
 * the console, the environment, fetch and browser storage are rules of oxlint.config.ts.
 */
import { readFileSync } from 'node:fs';
import * as contract from '@unsaid/contract';
import { filesInGit } from './files.ts';
import { conclude, root } from './test-reports.ts';

interface Ban {
  readonly pattern: RegExp;
  readonly reason: string;
  readonly in: RegExp;
  readonly except?: RegExp;
}

const bans: readonly Ban[] = [
  {
    pattern: /(?:oxlint|eslint)-disable(?!.*no-empty-pattern).*no-(?:restricted|console|process-env)/u,
    reason: 'the rules on imports, globals, the console and the environment have no exceptions',
    in: /^(?:server|web|contract|guard)\/src\/|^web\/mod\//u,
  },
  {
    pattern: /Math\.random\(/u,
    reason: 'codes, ids and seeds come from node:crypto',
    in: /^(?:server|contract|guard)\/src\//u,
  },
  {
    pattern: /['"`]\/api\//u,
    reason: 'paths are written once, in the contract',
    in: /^(?:server|web)\/src\/|^web\/mod\//u,
    except: /platform\/http\/(?:guards|static)\.ts$/u,
  },
  {
    pattern:
      /dangerouslySetInnerHTML|\.innerHTML|\.outerHTML|insertAdjacentHTML|document\.write|new Function\(/u,
    reason: 'text never becomes markup or code',
    in: /^web\/(?:src|public|mod)\//u,
  },
  { pattern: /target="_blank"/u, reason: 'links open in the same tab', in: /^web\/(?:src|mod)\//u },
  {
    pattern: /(?:window|globalThis|self)\.(?:localStorage|fetch)\b/u,
    reason: 'storage and calls have one owner in lib/; the lint rule sees only the bare name',
    in: /^web\/(?:src|mod)\/(?!lib\/)/u,
    except: /\.test\.tsx?$/u,
  },
  {
    pattern: /speakers\.open\(/u,
    reason: 'only one file opens the author of an item that shows no name',
    in: /^server\/src\//u,
    except: /^server\/src\/moderation\/authors\.ts$/u,
  },
  {
    pattern: /sql\.raw\(|sql\.lit\(/u,
    reason: 'values are bound, never spliced into SQL',
    in: /^server\/src\//u,
  },
];

const files = filesInGit('*.ts', '*.tsx');
const problems: string[] = [];
for (const file of files) {
  const rules = bans.filter((ban) => ban.in.test(file) && !ban.except?.test(file));
  if (rules.length === 0) continue;
  for (const [index, line] of readFileSync(`${root}${file}`, 'utf8').split('\n').entries())
    for (const { pattern, reason } of rules)
      if (pattern.test(line)) problems.push(`${file}:${index + 1}  ${reason}`);
}
// `npm run bench` fails where a call is missing, but runs too rarely to notice it in time.
const measured = readFileSync(`${root}bench/lib/every-call.ts`, 'utf8').replaceAll(/\s/gu, '');
const endpoints: readonly unknown[] = contract.endpoints;
for (const [name, value] of Object.entries(contract))
  if (endpoints.includes(value) && !measured.includes(`measure(${name},`))
    problems.push(`bench/lib/every-call.ts  does not measure ${name}`);
conclude(problems, `architecture: ${files.length} files, no breach`);
