import { readFileSync } from 'node:fs';
import { policyNames, sanctions, subjectKinds } from '@unsaid/contract';
import { expect, test } from 'vitest';
import { appealSentence, noticeSentences } from '../mod/lib/notice-sentences.ts';

/** Every message of the app's English catalogue of notices. */
const catalogue = new Set(
  readFileSync(`${import.meta.dirname}/../src/locales/en/moderation.po`, 'utf8')
    .replaceAll('"\n"', '')
    .split('\n')
    .flatMap((line) => /^msgid "(.*)"$/u.exec(line)?.[1] ?? []),
);
const day = /\d{1,2} [A-Z][a-z]+ \d{4}/gu;

/** As a message: with placeholders for what differs. */
const templates = (sentence: string): string[] => {
  const plain = sentence.replace(day, '{day}').replace('“…”', '“{words}”');
  const [, rule] = /^Rule: (.+)\. A person/u.exec(plain) ?? [];
  return rule === undefined ? [plain] : [rule, plain.replace(rule, '{rule}')];
};

test('the console previews the sentences that the app shows the author', () => {
  const shown = new Set<string>();
  for (const policy of policyNames)
    for (const sanction of sanctions)
      for (const about of subjectKinds)
        for (const kind of ['care', 'hide', 'remove'] as const) {
          const preview = { kind, policy, sanction, days: 7, appealDays: 30, isAuthorGone: false };
          for (const sentence of noticeSentences(preview, about, Date.UTC(2026, 10, 16)))
            for (const template of templates(sentence)) shown.add(template);
        }
  for (const outcome of ['hide', 'remove'] as const)
    for (const resolution of ['upheld', 'overturned'] as const)
      shown.add(appealSentence(resolution, outcome));
  expect(shown.size).toBeGreaterThan(20);
  expect([...shown].filter((sentence) => !catalogue.has(sentence))).toEqual([]);
});
