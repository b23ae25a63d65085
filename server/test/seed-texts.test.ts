import { createVent, emotions, limits, updateDetails } from '@unsaid/contract';
import { readCrisis, tellsToDie } from '@unsaid/guard/crisis';
import { findIdentity } from '@unsaid/guard/identity';
import { expect, test } from 'vitest';
import { createSeededRandom } from '../seed/seeded-random.ts';
import { seedName } from '../seed/people.ts';
import { sampleBios, sampleDislikes, sampleInterests, sampleLikes } from '../seed/sample-people.ts';
import { authorComments, sampleComments } from '../seed/sample-comments.ts';
import { createSampleTexts } from '../seed/sample-texts.ts';
import { sampleVents } from '../seed/sample-vents.ts';

const count = Object.values(sampleVents).flat().length;
const draw = (seed: number, length: number) => {
  const next = createSampleTexts(createSeededRandom(seed));
  return Array.from({ length }, () => next());
};

test('each sample vent is one that a person could post, with different comments under it', () => {
  for (const { emotion, title, body, hashtags, comments, authorComments } of draw(1, 10 * count)) {
    const posted = { title, text: body, emotion, hashtags };
    expect(createVent.body?.parse(posted), title).toEqual(posted);
    expect(body.length, title).toBeLessThanOrEqual(700);
    expect(new Set(comments).size, title).toBe(comments.length);
    for (const comment of [...comments, ...authorComments])
      expect(comment.length, comment).toBeLessThanOrEqual(limits.comment);
    expect([title, body, ...comments].join(' '), title).not.toMatch(/\d{5}|@|https?:/u);
  }
});

test('every vent is used once before any is repeated, and every emotion is there', () => {
  const drawn = draw(1, 2 * count).map(({ title }) => title);
  expect(new Set(drawn.slice(0, count)).size).toBe(count);
  expect(new Set(drawn.slice(count)).size).toBe(count);
  const between = drawn.slice(count).map((title, n) => count + n - drawn.indexOf(title));
  expect(Math.min(...between)).toBeGreaterThan(count / 3);
  expect(new Set(draw(1, count).map(({ emotion }) => emotion))).toEqual(new Set(emotions));
});

test('the same seed gives the same vents, another seed another order', () => {
  expect(draw(7, 300)).toEqual(draw(7, 300));
  expect(draw(8, 300)).not.toEqual(draw(7, 300));
});

test('names are valid, and no two people have the same', () => {
  const names = Array.from({ length: 150_000 }, (_, position) => seedName(3, position));
  expect(new Set(names).size).toBe(names.length);
  expect(
    names.filter((name) => !/^[a-z]+_[a-z]+\d{2,4}$/u.test(name) || name.length > limits.usernameChars),
  ).toEqual([]);
});

test('each sample profile could be saved', () => {
  const lists = [sampleInterests, sampleLikes, sampleDislikes].flat();
  for (const item of lists) {
    expect(updateDetails.body?.parse({ interests: [item] }), item).toMatchObject({ interests: [item] });
  }
  for (const bio of sampleBios) expect(updateDetails.body?.parse({ bio }), bio).toMatchObject({ bio });
});

test('the identity guard finds nothing in any sample text', () => {
  const texts = [
    ...Object.values(sampleVents)
      .flat()
      .flatMap(([, title, body, ...hashtags]) => [title, body, hashtags.join('\n')]),
    ...Object.values(sampleComments).flatMap((kinds) => Object.values(kinds).flat()),
    ...Object.values(authorComments).flat(),
    ...[sampleBios, sampleInterests, sampleLikes, sampleDislikes].flat(),
  ];
  expect(new Set(texts).size).toBeGreaterThan(400);
  expect(texts.filter((text) => findIdentity(text).length > 0)).toEqual([]);
});

test('the crisis card appears on at most 8 % of the sample texts, none of which is about a crisis', () => {
  const stringsIn = (value: unknown): string[] =>
    typeof value === 'string' ? [value] : Object.values(value as object).flatMap(stringsIn);
  const vents = Object.values(sampleVents)
    .flat()
    .map(([, title, text]) => `${title}\n${text}`);
  const texts = [...vents, ...stringsIn(sampleComments), ...stringsIn(authorComments)];
  const withCard = texts.filter((text) => readCrisis(text).level > 0);
  console.log(`sample texts: card on ${withCard.length} of ${texts.length}`, withCard);
  expect(withCard.length / texts.length).toBeLessThanOrEqual(0.08);
  expect(texts.filter(tellsToDie)).toEqual([]);
});
