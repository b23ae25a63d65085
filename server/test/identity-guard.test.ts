import { changeUsername, commentOnVent, getSelf, updateDetails } from '@unsaid/contract';
import { expect, test } from 'vitest';
import { makeVent } from './factories.ts';
import { ann, app, ben, commentOn, countRows, listFeed, postVent, useVentApp, ventBody } from './vent-app.ts';

useVentApp();

const phone = '98123 45678';
const refusal = (...fields: { path: string; rule: string }[]) => ({
  status: 422,
  body: { success: false, code: 'IDENTIFYING_DETAILS', fields },
});

async function countRefusals(rule: string): Promise<number> {
  const { values } = await app.deps.metrics.guardRefusals.get();
  return values.find(({ labels }) => labels.rule === rule)?.value ?? 0;
}

test.each([
  ['title', 'call 9812345678', 'phone'],
  ['text', `mera number ${phone} hai`, 'phone'],
  ['text', 'मेरा नंबर ९८१२३ ४५६७८ है', 'phone'],
  ['text', 'nau aath ek do teen char paanch che saat aath', 'phone'],
  ['text', 'riya dot sharma at gmail dot com', 'email'],
  ['text', 'bhejo riya08@okaxis pe', 'upi'],
  ['text', 'aadhaar 2345 6789 0124', 'aadhaar'],
  ['text', 'PAN ABCPE1234F', 'pan'],
])('a vent with %s “%s” is refused by path and rule', async (path, text, rule) => {
  const before = await countRefusals(rule);
  const answer = await postVent(ann, { ...ventBody, [path]: text });
  expect(answer).toMatchObject(refusal({ path, rule }));
  expect(Object.keys(answer.body).toSorted()).toEqual(['code', 'fields', 'message', 'requestId', 'success']);
  expect(await countRefusals(rule)).toBe(before + 1);
});

test('a number that is split over hashtags is refused, and ordinary hashtags are not', async () => {
  expect(await postVent(ann, { ...ventBody, hashtags: ['98123', '45678'] })).toMatchObject(
    refusal({ path: 'hashtags', rule: 'phone' }),
  );
  const answer = await postVent(ann, { ...ventBody, hashtags: ['exams', '2026', '9to5'] });
  expect(answer.status, answer.text).toBe(201);
});

test('a number that begins in the title and ends in the text is refused, and numbers of their own are not', async () => {
  expect(
    await postVent(ann, { ...ventBody, title: 'call me on 98123', text: '45678 any time' }),
  ).toMatchObject(refusal({ path: 'text', rule: 'phone' }));
  const answer = await postVent(ann, { ...ventBody, title: 'NEET 2024', text: '612 marks, 38 short' });
  expect(answer.status, answer.text).toBe(201);
});

test('a refused text is not echoed, stored or logged, and takes no slot: it writes nothing', async () => {
  const { id } = await makeVent(app, ann);
  app.statements.length = 0;
  const secret = 'zzcanary 98123 45678';
  const answers = [
    await postVent(ann, { ...ventBody, text: secret }),
    await commentOn(ben, id, secret),
    await app.call(updateDetails, { as: ben, body: { bio: secret } }),
  ];
  for (const answer of answers) {
    expect(answer.status, answer.text).toBe(422);
    expect(answer.text).not.toMatch(/zzcanary|98123|45678/u);
  }
  expect(app.statements.filter(({ text }) => /insert|update|delete|for key share/iu.test(text))).toEqual([]);
  expect(app.log.lines.join('\n')).not.toMatch(/zzcanary|98123|45678/u);
  expect(await countRows('content.vents')).toBe(1);
  expect(await countRows('content.comments')).toBe(0);
});

test('a refused attempt leaves its idempotency key free for the corrected text', async () => {
  const key = { 'idempotency-key': 'a-key-of-this-vent' };
  expect((await postVent(ann, { ...ventBody, text: phone }, key)).status).toBe(422);
  const corrected = await postVent(ann, { ...ventBody, text: 'call ••• please' }, key);
  expect(corrected.status, corrected.text).toBe(201);
  expect((await postVent(ann, { ...ventBody, text: 'call ••• please' }, key)).body.vent?._id).toBe(
    corrected.body.vent?._id,
  );
  expect((await listFeed(ben)).vents).toHaveLength(1);

  const headers = { 'idempotency-key': 'a-key-of-this-comment' };
  const comment = (text: string) =>
    app.call(commentOnVent, { as: ben, body: { ventId: corrected.body.vent?._id ?? '', text }, headers });
  expect((await comment(phone)).status).toBe(422);
  expect((await comment('here for you')).status).toBe(201);
});

test('a link or handle passes for a client that does not ask, is refused for one that does, and passes when sure', async () => {
  const texts = { link: 'read riyawrites.com', handle: 'my insta is riya.writes_08' };
  for (const [rule, text] of Object.entries(texts)) {
    const { id } = await makeVent(app, ann);
    for (const [isSure, status] of [
      [undefined, 201],
      [false, 422],
      [true, 201],
    ] as const) {
      const sure = isSure === undefined ? {} : { isSure };
      const vent = await postVent(ann, { ...ventBody, text, ...sure });
      expect([rule, isSure, vent.status]).toEqual([rule, isSure, status]);
      const comment = await app.call(commentOnVent, { as: ben, body: { ventId: id, text, ...sure } });
      expect([rule, isSure, comment.status]).toEqual([rule, isSure, status]);
      const profile = await app.call(updateDetails, { as: ben, body: { bio: text, ...sure } });
      expect([rule, isSure, profile.status]).toEqual([rule, isSure, status === 201 ? 200 : 422]);
      if (isSure === false) {
        expect(vent).toMatchObject(refusal({ path: 'text', rule }));
        expect(profile).toMatchObject(refusal({ path: 'bio', rule }));
      }
    }
  }
});

test('being sure posts no phone number', async () => {
  expect(await postVent(ann, { ...ventBody, text: phone, isSure: true })).toMatchObject(
    refusal({ path: 'text', rule: 'phone' }),
  );
});

test('helplines and numbers that mean something else pass', async () => {
  const { id } = await makeVent(app, ann);
  for (const text of [
    'call 14416 or 1-800-891-4416, or 112',
    'iCall 9152987821 really helped me',
    'PNR 8234567890, marks 78 82 91 65 88, 12/05/2026, rank 14523, 1,20,000 rupees',
  ]) {
    const answer = await commentOn(ben, id, text);
    expect(answer.status, answer.text).toBe(201);
  }
});

test('every free text of a profile is guarded, and a refused update changes nothing', async () => {
  const before = (await app.call(getSelf, { as: ben })).body.user;
  for (const path of ['interests', 'likes', 'dislikes'] as const)
    expect(
      await app.call(updateDetails, { as: ben, body: { bio: 'fine', [path]: ['tea', phone] } }),
    ).toMatchObject(refusal({ path, rule: 'phone' }));
  expect((await app.call(getSelf, { as: ben })).body.user).toEqual(before);
});

test('a username that is a phone number is refused, with digits in one run or apart', async () => {
  const rename = (newUsername: string) => app.call(changeUsername, { as: ben, body: { newUsername } });
  expect(await rename('9812345678')).toMatchObject({ status: 422, body: { code: 'USERNAME_INVALID' } });
  for (const name of ['98123_45678', '981_234_5678'])
    expect(await rename(name)).toMatchObject(refusal({ path: 'newUsername', rule: 'phone' }));
  expect((await rename('riya_2003')).status).toBe(200);
});
