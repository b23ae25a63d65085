/**
 * npm run check:regex: every regular expression of the product must match in linear time (recheck). A slower one is a
 * denial-of-service risk: a few hundred characters of input could block the process or a browser tab. Tests and tools
 * are excluded, because they match only our own text.
 */
import { readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'oxc-parser';
import { checkSync } from 'recheck';
import { filesInGit } from './files.ts';
import { conclude, root } from './test-reports.ts';

interface Expression {
  readonly where: string;
  readonly pattern: string;
  readonly flags: string;
}

const files = filesInGit('*.ts', '*.tsx', '*.js')
  .filter((file) => /^(?:contract|guard|server|web)\/src\/|^web\/(?:public\/|sw\.js)/u.test(file))
  .filter((file) => !file.includes('.test.'));

const problems: string[] = [];
const found: Expression[] = [];
for (const file of files) {
  const text = readFileSync(`${root}${file}`, 'utf8');
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) problems.push(`${file}: cannot be parsed`);
  const at = (start: number) => `${file}:${text.slice(0, start).split('\n').length}`;
  const refuse = (start: number) =>
    problems.push(`${at(start)}  built at run time, so it cannot be analysed: write it as a literal`);
  new Visitor({
    Literal(node) {
      if ('regex' in node) found.push({ where: at(node.start), ...node.regex });
    },
    NewExpression(node) {
      if (node.callee.type === 'Identifier' && node.callee.name === 'RegExp') refuse(node.start);
    },
    CallExpression(node) {
      if (node.callee.type === 'Identifier' && node.callee.name === 'RegExp') refuse(node.start);
    },
  }).visit(program);
}

let linear = 0;
for (const { where, pattern, flags } of found) {
  const rated = checkSync(pattern, flags, { timeout: 10_000, randomSeed: 1 });
  if (rated.status === 'safe') linear += 1;
  else problems.push(`${where}  /${pattern}/${flags} is ${rated.status}`);
}
conclude(problems, `regular expressions: ${linear} of ${found.length} linear, in ${files.length} files`);
