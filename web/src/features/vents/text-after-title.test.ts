import { expect, test } from 'vitest';
import { suggestTitle } from './compose/vent-form.ts';
import { textAfterTitle } from './text-after-title.ts';

test.each([
  ['I failed my placement test again. Papa does not know yet.', 'Papa does not know yet.'],
  ['I failed again', ''],
  ['I failed again...', ''],
  ['I  failed\tagain.\n\nNobody knows.', 'Nobody knows.'],
  ['Exams\nThey never end.', 'They never end.'],
  ['Why me? I ask every night.', 'I ask every night.'],
  ['मैं थक गई हूँ। बस।', 'बस।'],
  ['I keep thinking about what I should have said to her before she left for good.', 'she left for good.'],
])('a title that was taken from the text “%s” is not shown twice', (text, after) => {
  expect(textAfterTitle({ title: suggestTitle(text), text })).toBe(after);
});

test.each([
  ['Exams', 'Exams are killing me.'],
  ['I', 'I failed again.'],
  ['Exa', 'Exams.'],
  ['Something else', 'I failed again.'],
  ['3', '3.5 marks short'],
  ['I failed…', 'I failedagain and again.'],
])('a text is whole below the title “%s”, which is not its first sentence', (title, text) => {
  expect(textAfterTitle({ title, text })).toBe(text);
});
