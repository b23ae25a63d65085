import { updateDetails } from '@unsaid/contract';
import { expect, it, vi } from 'vitest';
import { dialogDetails, signupDetails, validateDetails, type ProfileValues } from './profile-form.ts';

const values: ProfileValues = {
  username: 'quiet_river',
  bio: 'Night owl.',
  interests: ['poetry'],
  likes: [],
  dislikes: [],
  feelings: [],
  matchPreference: 'Balanced',
  anonymousChat: false,
  allowComments: false,
  newPicture: true,
};

it('sends the preference as a bare string at signup, and no allowComments', () => {
  const details = signupDetails(values);
  expect(details).toEqual({
    bio: 'Night owl.',
    interests: ['poetry'],
    likes: [],
    dislikes: [],
    preferences: 'Balanced',
  });
  expect(updateDetails.body.safeParse(signupDetails({ ...values, matchPreference: '' })).success).toBe(true);
});

it('sends both switches from the dialog', () => {
  expect(dialogDetails(values, [])).toMatchObject({
    allowComments: false,
    preferences: { matchPreference: 'Balanced', anonymousChat: false },
  });
});

it('speaks beside the field that is too long, before anything is sent', () => {
  const setError = vi.fn();
  expect(validateDetails(dialogDetails({ ...values, bio: 'x'.repeat(301) }, []), setError)).toBe(false);
  expect(setError).toHaveBeenCalledWith('bio', { message: 'Keep it to 300 characters.' });
  expect(validateDetails(dialogDetails(values, []), setError)).toBe(true);
});

it('sends feelings only when they were changed, also to none', () => {
  expect(signupDetails(values)).not.toHaveProperty('feelings');
  expect(signupDetails({ ...values, feelings: ['Sad'] })).toMatchObject({ feelings: ['Sad'] });
  expect(dialogDetails({ ...values, feelings: ['Sad', 'Anxious'] }, ['Sad', 'Anxious'])).not.toHaveProperty(
    'feelings',
  );
  expect(dialogDetails({ ...values, feelings: ['Sad'] }, ['Sad', 'Anxious'])).toMatchObject({
    feelings: ['Sad'],
  });
  expect(dialogDetails(values, ['Sad'])).toMatchObject({ feelings: [] });
});
