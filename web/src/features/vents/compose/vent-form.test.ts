import { describe, expect, it } from 'vitest';
import { addChips } from '../../../ui/chips.ts';
import { emptyDraft, type VentDraft } from './drafts.ts';
import { checkVent, hashtagRules } from './vent-form.ts';

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
  it('names the missing fields, also for blank and invisible text (S5.6)', () => {
    expect(checkVent(emptyDraft)).toEqual({ missing: ['title', 'text', 'emotion'] });
    expect(checkVent({ ...vent, title: ' \u200B ' })).toEqual({ missing: ['title'] });
  });

  it('accepts what the server accepts', () => {
    expect(checkVent(vent)).toEqual({
      body: { title: 'T', text: 'x', emotion: 'Sad', hashtags: ['exams'] },
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
      problems: { title: 'That is longer than what fits here.' },
    });
    expect(checkVent({ ...vent, text: 'x\n'.repeat(60) + 'y' })).toMatchObject({
      problems: { text: 'That is more lines than fit here.' },
    });
  });
});
