import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readAbuse } from '../src/abuse.ts';
import { isHeavy, readCrisis } from '../src/crisis.ts';
import { tellsReadersToDie } from '../src/readers.ts';
import { isReached, measure } from './measure.ts';
import { readLabelled } from './sets.ts';

/** Where the wanted share is not reached: what is reached today, so that a loss shows. */
const reachedToday: Readonly<Record<string, number>> = {
  'own distress read as own': 77,
  'own, addressing a relative, read as somebody else’s': 1,
  'about others, read as such': 26,
  'harmless with a loud card': 8,
  'identifying, noted': 44,
  'telling readers to die, refused': 16,
};

describe('the sets of writers who had seen nothing', () => {
  test.each(['./sets/', './sets/first/'])('are the ones that were written: %s', (path) => {
    const folder = new URL(path, import.meta.url);
    const lines = readFileSync(new URL('sha256sums', folder), 'utf8').trim().split('\n');
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      const [hash, file = ''] = line.split(/\s+/u);
      expect(
        createHash('sha256')
          .update(readFileSync(new URL(file, folder)))
          .digest('hex'),
      ).toBe(hash);
    }
  });

  test.each(measure('report'))('on the half that nobody tunes on: $name', (figure) => {
    const { name, count, of, wanted } = figure;
    const today = reachedToday[name];
    if (today === undefined)
      expect({ ...figure, isReached: isReached(figure) }).toMatchObject({ isReached: true });
    else if ('least' in wanted) expect(count).toBeGreaterThanOrEqual(today);
    else expect(count).toBeLessThanOrEqual(today);
    expect(of).toBeGreaterThan(0);
  });
});

test.each([
  'bhai marne ka mann karta hai roz',
  'maa maaf kar dena, jaan de dunga aaj',
  'मम्मी पापा के लिए बोझ हूँ, मेरे मरने से उन्हें राहत मिलेगी',
  'didi jaan dene ka mann karta hai',
])('who is addressed is not who is meant: %s', (text) => {
  const { level, isAboutSomeoneElse } = readCrisis(text);
  expect(level).toBeGreaterThan(0);
  expect(isAboutSomeoneElse).toBe(false);
});

test.each([
  ['he raped me and nobody knows', 'rape'],
  ['he raped me after the party and i have told nobody', 'rape'],
  ['my husband beats me with a belt every night', 'violence'],
  ['main 14 saal ki hu, mama raat ko kamre me aake mujhe galat tarike se chhute hain', 'child'],
] as const)('which helplines come first: %s', (text, kind) => expect(readAbuse(text)).toBe(kind));

test.each([
  'You should be ashamed, all of you',
  'tum sab bahut acche ho, jeene do',
  'Finish it in your own words.',
  'Are you okay? everyone here please stay alive',
  'this app saved my life, thank you all',
])('a vent that speaks to its readers kindly, or not of dying, goes out: %s', (text) =>
  expect(tellsReadersToDie(text)).toBe(false),
);

describe('the fold', () => {
  test('is for most plans that are said outright, by phrases alone', () => {
    const plans = readLabelled('crisis-dev.tsv').filter(({ label }) => label === '3');
    const folded = plans.filter(({ text }) => isHeavy(text));
    expect(folded.length / plans.length).toBeGreaterThan(0.8);
  });
  test.each([
    'I want to kill myself. I have the pills on my table.',
    'aaj raat sab khatam kar dunga, goliyan saamne rakhi hai',
  ])('is for a plan of today: %s', (text) => expect(isHeavy(text)).toBe(true));
  test.each([
    'haath pe blade maarti hu jab bahut bura lagta hai',
    'I had the pills in my hand two years ago. I am glad I stayed.',
    'chuhe maarne wali dawa kahan milegi',
    'my brother took all the pills tonight',
    'This deadline will kill me tonight lol',
  ])('is not for a habit, the past, pests, others or jest: %s', (text) => expect(isHeavy(text)).toBe(false));
});
