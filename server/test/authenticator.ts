import { randomBytes } from 'node:crypto';
import {
  enrol,
  enrolOptions,
  prove,
  proveOptions,
  signIn,
  signInOptions,
  type ModeratorRole,
} from '@unsaid/contract/moderation/console';
import { createPasskey, type Authenticator } from '../../testkit/passkey.ts';
import { addModerator } from '../src/moderation/moderators/staff.ts';
import { newActor, type Actor, type TestApp } from './app.ts';

export const createAuthenticator = (app: TestApp, options: { counter?: number } = {}): Authenticator =>
  createPasskey(app.config.modOrigin ?? new URL('http://localhost:3001'), options);

/** A signed-in moderator: use it as `as` in `app.callMod`. */
export interface SignedInModerator extends Actor {
  readonly cookies: Map<string, string>;
  readonly alias: string;
  readonly role: ModeratorRole;
  readonly authenticator: Authenticator;
}

/** Registers a passkey with a link from the command line. */
export async function enrolModerator(
  app: TestApp,
  token: string,
  authenticator: Authenticator = createAuthenticator(app),
): Promise<Authenticator> {
  const as = newActor();
  const asked = await app.callMod(enrolOptions, { as, body: { token } });
  if (asked.status !== 200) throw new Error(`no options: ${asked.text}`);
  const credential = authenticator.register(asked.body.options);
  const done = await app.callMod(enrol, { as, body: { token, credential } });
  if (done.status !== 200) throw new Error(`not enrolled: ${done.text}`);
  return authenticator;
}

/** A new moderator who has enrolled a passkey and signed in with it, all through the real calls. */
export async function signInModerator(
  app: TestApp,
  {
    role = 'moderator',
    alias = `m-${randomBytes(6).toString('hex')}`,
  }: { role?: ModeratorRole; alias?: string } = {},
): Promise<SignedInModerator> {
  const authenticator = await enrolModerator(app, await addModerator(app.features.moderation, alias, role));
  const actor = { ...newActor(), cookies: new Map<string, string>(), alias, role, authenticator };
  await signInAgain(app, actor);
  return actor;
}

/** A new session for a moderator, with their passkey. */
export async function signInAgain(app: TestApp, actor: SignedInModerator): Promise<void> {
  const { body } = await app.callMod(signInOptions, { as: actor });
  const credential = actor.authenticator.assert(body.options);
  const answer = await app.callMod(signIn, { as: actor, body: { credential } });
  if (answer.status !== 200) throw new Error(`no session: ${answer.text}`);
}

/** A fresh passkey proof, for endpoints that need one. */
export async function proveAgain(app: TestApp, actor: SignedInModerator): Promise<void> {
  const { body } = await app.callMod(proveOptions, { as: actor });
  const credential = actor.authenticator.assert(body.options);
  const answer = await app.callMod(prove, { as: actor, body: { credential } });
  if (answer.status !== 200) throw new Error(`no proof: ${answer.text}`);
}
