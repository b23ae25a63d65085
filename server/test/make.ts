import { requestOtp, verifyOtp, type SelfUser } from '@unsaid/contract';
import { newActor, type Actor, type TestApp } from './app.ts';

let numbers = 0;

/** An Indian mobile number that no other test uses. */
export function makePhone(): string {
  numbers += 1;
  return `+9198${String(10_000_000 + numbers * 37 + (process.pid % 1000) * 10_000).slice(-8)}`;
}

export interface Person extends Actor {
  readonly token: string;
  readonly phone: string;
  readonly user: SelfUser;
  readonly userId: bigint;
  readonly isNewUser: boolean;
}

/** Signs in through the front door, as everyone does. */
export async function signIn(
  app: TestApp,
  phone: string = makePhone(),
  actor: Actor = newActor(),
): Promise<Person> {
  const sent = await app.call(requestOtp, { as: actor, body: { phone } });
  if (sent.status !== 200) throw new Error(`no code: ${sent.text}`);
  const answer = await app.call(verifyOtp, { as: actor, body: { phone, otp: await app.codeFor(phone) } });
  if (answer.status !== 200) throw new Error(`no session: ${answer.text}`);
  const { token, user, isNewUser } = answer.body;
  return { ...actor, token, user, isNewUser, phone, userId: app.deps.seals.user.open(user._id) ?? 0n };
}

export async function makeUser(app: TestApp): Promise<Person> {
  return signIn(app);
}
