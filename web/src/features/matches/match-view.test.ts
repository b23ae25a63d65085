import type { MatchSuggestion, PendingMatch } from '@unsaid/contract';
import { describe, expect, it, test } from 'vitest';
import {
  formatScore,
  percentOf,
  scoreLabel,
  sidesOf,
  statusLabel,
  statusMeaning,
  toOpenMatch,
  toSuggestion,
} from './match-view.ts';

const me = { _id: 'me', username: 'paper_moon', profilePic: '/avatars/me.svg' };
const them = { _id: 'them', username: 'slow_monsoon', profilePic: '/avatars/them.svg' };
const suggestion: MatchSuggestion = {
  _id: 'm1',
  user1: them,
  user2: me,
  user1Accepted: true,
  user2Accepted: false,
  matchScore: 0.87,
  commonEmotions: ['Sad'],
  bio: 'I listen.',
  commonInterests: ['rain'],
  reasons: [],
};
const pending: PendingMatch = {
  matchId: 'm2',
  from: 'slow_monsoon',
  fromId: 'them',
  fromPic: them.profilePic,
  to: 'paper_moon',
  toId: 'me',
  toPic: me.profilePic,
  matchScore: 0.5,
  status: 'pending',
};

describe('the other side of a pair', () => {
  it('is found by id, whichever side comes first', () => {
    expect(sidesOf({ user1: me, user2: them }, 'me').other.id).toBe('them');
    expect(sidesOf({ user1: them, user2: me }, 'me').other.id).toBe('them');
    expect(sidesOf({ user1: them, user2: me }, 'me').self.picture).toBe('/avatars/me.svg');
  });

  it('determines whose acceptance is shown', () => {
    expect(toSuggestion(suggestion, 'me').hasTheirYes).toBe(true);
    expect(toSuggestion({ ...suggestion, user1: me, user2: them }, 'me').hasTheirYes).toBe(false);
  });

  it('is called Anonymous without a name, in both shapes (S3.9)', () => {
    const nameless = { ...them, username: null };
    expect(toSuggestion({ ...suggestion, user1: nameless }, 'me').other.name).toBe('Anonymous');
    expect(toOpenMatch({ ...pending, from: 'Anonymous' }, 'me').other.name).toBe('Anonymous');
  });

  it('is the sender of a received match, and the recipient of a sent one', () => {
    expect(toOpenMatch(pending, 'me')).toMatchObject({
      id: 'm2',
      other: { id: 'them', name: 'slow_monsoon', picture: them.profilePic },
      hasTheirYes: true,
    });
    expect(toOpenMatch(pending, 'them')).toMatchObject({
      other: { id: 'me', name: 'paper_moon' },
      hasTheirYes: false,
    });
  });
});

describe('a score', () => {
  it.each([
    [0, '0.00', 0],
    [0.07, '0.07', 7],
    [0.29, '0.29', 29],
    [0.5, '0.50', 50],
    [0.875, '0.88', 88],
    [1, '1.00', 100],
    [1.2, '1.00', 100],
    [-0.1, '0.00', 0],
  ])('of %s is written %s and fills %s percent', (score, text, percent) => {
    expect(formatScore(score, 'en')).toBe(text);
    expect(percentOf(score)).toBe(percent);
  });
});

test('a score has words before its figure', () => {
  expect([0.1, 0.5, 0.55, 0.65, 0.7, 1].map(scoreLabel)).toEqual([
    'Possible match',
    'Possible match',
    'Good match',
    'Good match',
    'Strong match',
    'Strong match',
  ]);
});

test('every status but two yeses has a sentence, and a rejection says whose it was', () => {
  expect(
    (['pending', 'accepted', 'rejected', 'closed'] as const).map((status) => statusMeaning(status)),
  ).toEqual([
    "If they say yes too, it'll show up in History.",
    '',
    "You passed. They aren't told.",
    'This match has ended.',
  ]);
  expect(statusMeaning('rejected', true)).toBe("You took your yes back. They aren't told.");
});

test('every status has a label (S4.10)', () => {
  expect((['pending', 'accepted', 'rejected', 'closed'] as const).map(statusLabel)).toEqual([
    'Pending',
    'Accepted',
    'Rejected',
    'Closed',
  ]);
});
