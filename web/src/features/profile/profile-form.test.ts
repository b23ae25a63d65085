import { profileDetails } from '@unsaid/contract';
import { expect, test, vi } from 'vitest';
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

test('sign-up sends the preference as a bare string, and no allowComments (S7.21)', () => {
  const details = signupDetails(values);
  expect(details).toEqual({
    bio: 'Night owl.',
    interests: ['poetry'],
    likes: [],
    dislikes: [],
    preferences: 'Balanced',
  });
  expect(profileDetails.safeParse(signupDetails({ ...values, matchPreference: '' })).success).toBe(true);
});

test('the dialog sends both switches (S7.7)', () => {
  expect(dialogDetails(values, [])).toMatchObject({
    allowComments: false,
    preferences: { matchPreference: 'Balanced', anonymousChat: false },
  });
});

test('validation reports a field that is too long before anything is sent', () => {
  const setError = vi.fn();
  expect(validateDetails(dialogDetails({ ...values, bio: 'x'.repeat(301) }, []), setError)).toBe(false);
  expect(setError).toHaveBeenCalledWith('bio', { message: 'Please keep it within 300 characters.' });
  expect(validateDetails(dialogDetails(values, []), setError)).toBe(true);
});

test('the dialog sends feelings only if they changed, also to none', () => {
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
