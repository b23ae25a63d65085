import { cancelRecoveryCode, deleteAccount, revokeOtherSessions } from '@unsaid/contract';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { getSession } from '../../lib/session.ts';
import { renderSignedIn, testServer } from '../../lib/testing.tsx';
import { FirstVisit } from './first-visit.tsx';
import { Confirmed } from './testing.tsx';

const thisYear = new Date().getUTCFullYear();

function ask(visit: string) {
  const requests = testServer(() => ({}));
  const onAnswer = vi.fn<() => void>();
  renderSignedIn(<FirstVisit visit={visit} onAnswer={onAnswer} ReauthForm={Confirmed} />);
  return { onAnswer, sent: () => requests.map(({ method, path }) => [method, path]) };
}

const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }));

test.each([
  [
    `${thisYear}-11 1 2`,
    'from November. A recovery code was made for it. It’s logged in on 2 other devices.',
  ],
  [`${thisYear}-03 0 1`, 'from March. It’s logged in on 1 other device.'],
  ['2019-01 1 0', 'from January 2019. A recovery code was made for it.'],
])('the question for %s says what somebody else may have', (visit, words) => {
  ask(visit);
  const text = screen.getByText(/^This number already has an account/u).textContent.replaceAll(/\s+/gu, ' ');
  expect(text.trim()).toBe(`This number already has an account ${words.replaceAll('’', "'")}`);
});

test("It's mine answers the question and asks the server for nothing", async () => {
  const { onAnswer, sent } = ask(`${thisYear}-11 1 2`);
  await press("It's mine");
  expect(onAnswer).toHaveBeenCalledOnce();
  expect(sent()).toEqual([]);
});

test.each([
  [`${thisYear}-11 1 2`, "It's mine, but log out everywhere else and cancel the code"],
  [`${thisYear}-11 0 2`, "It's mine, but log out everywhere else"],
  [`${thisYear}-11 1 0`, "It's mine, but cancel the code"],
])(
  'for %s the second answer ends other sessions and cancels the code, after a code',
  async (visit, answer) => {
    const { onAnswer, sent } = ask(visit);
    await press(answer);
    expect(sent()).toEqual([]);
    await press('Code is right');
    await expect.poll(() => onAnswer.mock.calls.length).toBe(1);
    expect(sent()).toEqual([
      [revokeOtherSessions.method, revokeOtherSessions.path],
      ['DELETE', cancelRecoveryCode.path],
    ]);
  },
);

test('the question stays if the code could not be cancelled', async () => {
  const onAnswer = vi.fn<() => void>();
  testServer(({ path }) =>
    path === cancelRecoveryCode.path
      ? Response.json(
          { success: false, message: '', code: 'NUMBER_TOO_NEW', requestId: 'x' },
          { status: 409 },
        )
      : {},
  );
  renderSignedIn(<FirstVisit visit={`${thisYear}-11 1 2`} onAnswer={onAnswer} ReauthForm={Confirmed} />);
  await press("It's mine, but log out everywhere else and cancel the code");
  await press('Code is right');
  await screen.findByText('refused: NUMBER_TOO_NEW');
  expect(onAnswer).not.toHaveBeenCalled();
});

test('Start fresh deletes the account by the usual choices and ends the session', async () => {
  const { onAnswer, sent } = ask(`${thisYear}-11 1 2`);
  await press('Start fresh');
  await screen.findByRole('group', { name: 'What happens to your vents and comments?' });
  expect(sent()).toEqual([]);
  await press('Code is right');
  await expect.poll(() => getSession()).toEqual({ isSignedIn: false, endedBy: 'deleted' });
  expect(sent()).toEqual([['DELETE', deleteAccount.path]]);
  expect(onAnswer).not.toHaveBeenCalled();
});
