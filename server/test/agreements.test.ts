import {
  agreeToNotice,
  exportData,
  getAgreement,
  getGrievanceOfficer,
  noticeVersion,
  reauthenticate,
} from '@unsaid/contract';
import { expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { ownTestApp, useTestApp } from './app.ts';
import { changeFactsOf, readFacts } from './facts.ts';
import { askForCode, makeUser, type Person } from './factories.ts';

const app = useTestApp();

async function exported(person: Person) {
  const otp = await askForCode(app, person, person.phone, 'reauth');
  await app.call(reauthenticate, { as: person, body: { phone: person.phone, otp } });
  return (await app.call(exportData, { as: person })).body.data['profile'];
}
const agreedBy = async ({ userId }: Person) => (await readFacts(app, userId)).agreement;

test('signing up stores the version of the notice and the day, which the export contains', async () => {
  const me = await makeUser(app);
  expect(await agreedBy(me)).toEqual({ version: noticeVersion, agreedOn: '2026-11-15' });
  expect((await app.call(getAgreement, { as: me })).body.version).toBe(noticeVersion);
  expect(await exported(me)).toMatchObject({
    privacyNotice: { version: noticeVersion, agreedOn: '2026-11-15' },
  });
});

test('agreeing to a newer version stores it with its day', async () => {
  const me = await makeUser(app);
  const agreement = { version: noticeVersion - 1, agreedOn: '2026-11-01' };
  await changeFactsOf(app, [me.userId], () => ({ agreement }));
  expect((await app.call(getAgreement, { as: me })).body.version).toBe(noticeVersion - 1);
  await app.call(agreeToNotice, { as: me, body: { version: noticeVersion } });
  expect(await agreedBy(me)).toEqual({ version: noticeVersion, agreedOn: '2026-11-15' });
});

test('agreeing again changes no day, and a version that does not exist is refused', async () => {
  const me = await makeUser(app);
  app.clock.advance(2 * 24 * 3_600_000);
  expect((await app.call(agreeToNotice, { as: me, body: { version: noticeVersion } })).status).toBe(200);
  expect(await agreedBy(me)).toEqual({ version: noticeVersion, agreedOn: '2026-11-15' });
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
  const { operator: unset } = (await app.call(getGrievanceOfficer)).body;
  expect(new Set(Object.values(unset))).toEqual(new Set([null]));
  const { operator } = readConfig({
    NODE_ENV: 'test',
    OPERATOR: 'Unsaid Trust, Pune',
    OPERATOR_SUPPORT: 'help@unsaid.example',
    OPERATOR_TERMS_FROM: '2027-01-31',
    OPERATOR_COURTS: 'the courts of Pune',
    OPERATOR_HOSTING: 'a company in Mumbai',
    OPERATOR_SMS_COMPANY: 'MSG91',
    OPERATOR_SMS_KEEPS: '30 days',
  });
  expect(Object.values(operator)).not.toContain(null);
  expect(() => readConfig({ NODE_ENV: 'test', OPERATOR_TERMS_FROM: 'soon' })).toThrow('must be a day');
  const own = await ownTestApp({ grievanceOfficer, operator });
  expect((await own.call(getGrievanceOfficer)).body).toMatchObject({ officer: grievanceOfficer, operator });
});
