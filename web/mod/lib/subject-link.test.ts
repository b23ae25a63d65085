import { describe, expect, it } from 'vitest';
import { subjectOf } from './subject-link.ts';

describe('what a lead pastes', () => {
  it('a link and an id name the same vent', () => {
    for (const item of [
      'AbC-12_x',
      ' AbC-12_x ',
      '/vent/AbC-12_x',
      'https://unsaid.example/vent/AbC-12_x?a=1#b',
    ])
      expect(subjectOf({ kind: 'vent', item, comment: '' })).toEqual({ kind: 'vent', id: 'AbC-12_x' });
  });

  it('a comment needs its vent and its own id', () => {
    const item = 'https://unsaid.example/vent/v1';
    expect(subjectOf({ kind: 'comment', item, comment: 'c1' })).toEqual({
      kind: 'comment',
      id: 'c1',
      ventId: 'v1',
    });
    expect(subjectOf({ kind: 'comment', item, comment: '' })).toBeNull();
  });

  it('anything else is refused', () => {
    for (const item of ['', 'https://unsaid.example/vents', 'two words', 'x'.repeat(65)])
      expect(subjectOf({ kind: 'vent', item, comment: '' })).toBeNull();
  });
});
