import { describe, expect, it } from 'vitest';
import { emptyDraft, type VentDraft } from '../../lib/drafts.ts';
import { addChips } from '../../ui/chips.ts';
import { checkVent, hashtagRules } from './vent-form.ts';

const vent: VentDraft = { title: 'T', text: 'x', emotion: 'Sad', hashtags: ['exams'], openHashtag: '' };

describe('hashtags as chips', () => {
  const chips = (typed: string, before: readonly string[] = []) => addChips(before, typed, hashtagRules);

  it('splits on commas, trims, drops the # and empties, folds repeats without case and accents', () => {
    expect(chips(' #exams , ,Family,family, परिवार ,café,Cafe,').chips).toEqual([
      'exams',
      'Family',
      'परिवार',
      'café',
    ]);
  });

  it('leaves in the box what cannot be one, and says why', () => {
    expect(chips('fine,what?!')).toMatchObject({ chips: ['fine'], left: 'what?!', problem: 'unacceptable' });
    expect(chips('x'.repeat(31))).toMatchObject({ chips: [], problem: 'too-long' });
    const ten = Array.from({ length: 10 }, (_, at) => `tag${at}`);
    expect(chips('one more', ten)).toMatchObject({ chips: ten, left: 'one more', problem: 'too-many' });
  });
});

describe('checkVent', () => {
  it('names what is missing, also when only blanks or the unseen were typed', () => {
    expect(checkVent(emptyDraft)).toEqual({ missing: ['title', 'text', 'emotion'] });
    expect(checkVent({ ...vent, title: ' \u200B ' })).toEqual({ missing: ['title'] });
  });

  it('passes what the server takes', () => {
    expect(checkVent(vent)).toEqual({
      body: { title: 'T', text: 'x', emotion: 'Sad', hashtags: ['exams'] },
    });
  });

  it('says whether people may comment, once that is known', () => {
    expect(checkVent({ ...vent, allowComments: false })).toMatchObject({ body: { allowComments: false } });
    expect(checkVent({ ...vent, allowComments: true })).toMatchObject({ body: { allowComments: true } });
  });

  it('takes along the hashtag that no comma has closed, and leaves none out that cannot be one', () => {
    expect(checkVent({ ...vent, openHashtag: ' #Family ' })).toMatchObject({
      body: { hashtags: ['exams', 'Family'] },
    });
    expect(checkVent({ ...vent, openHashtag: 'what?!' })).toEqual({
      problems: { hashtags: 'Only letters, digits, spaces, _ and - here.' },
    });
  });

  it('says beside the field what does not fit', () => {
    expect(checkVent({ ...vent, title: 'x'.repeat(101) })).toMatchObject({
      problems: { title: 'That is longer than what fits here.' },
    });
    expect(checkVent({ ...vent, text: 'x\n'.repeat(60) + 'y' })).toMatchObject({
      problems: { text: 'That is more lines than fit here.' },
    });
  });
});
