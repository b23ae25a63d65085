import {
  agreeToNotice,
  exportData,
  getAgreement,
  getGrievanceOfficer,
  noticeVersion,
  reauthenticate,
} from '@unsaid/contract';
import { expect, test } from 'vitest';
import { ownTestApp, usePool, useTestApp } from './app.ts';
import { askForCode, makeUser, type Person } from './factories.ts';

const app = useTestApp();
const pool = usePool(app);

async function exported(person: Person) {
  const otp = await askForCode(app, person, person.phone, 'reauth');
  await app.call(reauthenticate, { as: person, body: { phone: person.phone, otp } });
  return (await app.call(exportData, { as: person })).body.data['agreements'];
}
async function userIdOf(person: Person): Promise<bigint> {
  const viewer = await app.features.sessions.authenticate(person.token ?? '', { skipCache: true });
  if (!viewer) throw new Error('no session');
  return viewer.userId;
}
const agreedBy = async (person: Person) =>
  (
    await pool.query<{ version: number; day: string }>(
      'select version, agreed_on::text as day from identity.agreements where user_id = $1 order by version',
      [String(await userIdOf(person))],
    )
  ).rows;

test('signing up stores the version of the notice and the day, which the export contains', async () => {
  const me = await makeUser(app);
  expect(await agreedBy(me)).toEqual([{ version: noticeVersion, day: '2026-11-15' }]);
  expect((await app.call(getAgreement, { as: me })).body.version).toBe(noticeVersion);
  expect(await exported(me)).toEqual({
    privacyNotice: [{ version: noticeVersion, agreedOn: '2026-11-15' }],
  });
});

test('an account from before versions were stored has agreed to the first one', async () => {
  const me = await makeUser(app);
  await pool.query('delete from identity.agreements where user_id = $1', [String(await userIdOf(me))]);
  expect((await app.call(getAgreement, { as: me })).body.version).toBe(1);
  expect(await exported(me)).toEqual({ privacyNotice: [{ version: 1, agreedOn: 'when you signed up' }] });
});

test('agreeing again changes no day, and a version that does not exist is refused', async () => {
  const me = await makeUser(app);
  app.clock.advance(2 * 24 * 3_600_000);
  expect((await app.call(agreeToNotice, { as: me, body: { version: noticeVersion } })).status).toBe(200);
  expect(await agreedBy(me)).toEqual([{ version: noticeVersion, day: '2026-11-15' }]);
  for (const version of [noticeVersion + 1, 0, -1, 1.5])
    expect((await app.call(agreeToNotice, { as: me, body: { version } })).status).toBe(422);
  app.clock.reset();
});

test('the grievance officer comes from the settings, for everyone', async () => {
  expect((await app.call(getGrievanceOfficer)).body.officer).toBeNull();
  const grievanceOfficer = {
    name: 'Asha Rao',
    email: 'grievance@unsaid.example',
    address: null,
    phone: null,
  };
  const own = await ownTestApp({ grievanceOfficer });
  expect((await own.call(getGrievanceOfficer)).body.officer).toEqual(grievanceOfficer);
});
