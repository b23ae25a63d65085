import { describe, expect, it } from 'vitest';
import { addChips } from '../../../ui/chips.ts';
import { emptyDraft, type VentDraft } from './drafts.ts';
import { checkVent, hashtagRules, suggestTitle } from './vent-form.ts';

const vent: VentDraft = { title: 'T', text: 'x', emotion: 'Sad', hashtags: ['exams'], openHashtag: '' };

describe('hashtags as chips', () => {
  const chips = (typed: string, before: readonly string[] = []) => addChips(before, typed, hashtagRules);

  it('are split on commas, trimmed, without # and empties, and folded without case and accents (S5.7)', () => {
    expect(chips(' #exams , ,Family,family, परिवार ,café,Cafe,').chips).toEqual([
      'exams',
      'Family',
      'परिवार',
      'café',
    ]);
  });

  it('stay in the input when invalid, with the reason', () => {
    expect(chips('fine,what?!')).toMatchObject({ chips: ['fine'], left: 'what?!', problem: 'unacceptable' });
    expect(chips('x'.repeat(31))).toMatchObject({ chips: [], problem: 'too-long' });
    const ten = Array.from({ length: 10 }, (_, at) => `tag${at}`);
    expect(chips('one more', ten)).toMatchObject({ chips: ten, left: 'one more', problem: 'too-many' });
  });
});

describe('checkVent', () => {
  it('names every missing field, also for blank and invisible text (S5.6)', () => {
    expect(checkVent(emptyDraft)).toEqual({ missing: ['text', 'emotion'] });
    expect(checkVent({ ...emptyDraft, text: 'x' })).toEqual({ missing: ['title', 'emotion'] });
    expect(checkVent({ ...vent, title: ' \u200B ' })).toEqual({ missing: ['title'] });
    expect(checkVent({ ...vent, emotion: undefined })).toEqual({ missing: ['emotion'] });
  });

  it('accepts what the server accepts', () => {
    expect(checkVent(vent)).toEqual({
      body: { title: 'T', text: 'x', emotion: 'Sad', hashtags: ['exams'], later: false },
    });
  });

  it('includes whether comments are allowed, once known', () => {
    expect(checkVent({ ...vent, allowComments: false })).toMatchObject({ body: { allowComments: false } });
    expect(checkVent({ ...vent, allowComments: true })).toMatchObject({ body: { allowComments: true } });
  });

  it('includes an open hashtag, and rejects an invalid one', () => {
    expect(checkVent({ ...vent, openHashtag: ' #Family ' })).toMatchObject({
      body: { hashtags: ['exams', 'Family'] },
    });
    expect(checkVent({ ...vent, openHashtag: 'what?!' })).toEqual({
      problems: { hashtags: 'Please use only letters, digits, spaces, _ and -.' },
    });
  });

  it('reports the error of each field', () => {
    expect(checkVent({ ...vent, title: 'x'.repeat(101) })).toMatchObject({
      problems: { title: "That's too long. Please shorten it." },
    });
    expect(checkVent({ ...vent, text: 'x\n'.repeat(60) + 'y' })).toMatchObject({
      problems: { text: "That's too many lines. Please use fewer." },
    });
  });
});

describe('suggestTitle', () => {
  it('takes the first sentence, without its full stop', () => {
    expect(suggestTitle('\n  I failed   again. Nobody knows.')).toBe('I failed again');
    expect(suggestTitle('मैं थक गई हूँ। बस।')).toBe('मैं थक गई हूँ');
    expect(suggestTitle('Why me? I ask every night.')).toBe('Why me?');
    expect(suggestTitle('3.5 marks short')).toBe('3.5 marks short');
  });

  it('cuts a long sentence after a whole word', () => {
    const title = suggestTitle(
      'I keep thinking about what I should have said to her before she left for good',
    );
    expect(title).toBe('I keep thinking about what I should have said to her before…');
  });

  it('takes nothing where there are no words', () => {
    for (const text of ['', ' \n ', '\u200B', 'x'.repeat(80)]) expect(suggestTitle(text)).toBe('');
  });
});
