import {
  enrol,
  enrolOptions,
  prove,
  proveOptions,
  signIn,
  signInOptions,
} from '@unsaid/contract/moderation/console';
import type { ModeratorView } from '@unsaid/contract/moderation/console';
import { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import { call, CallError } from './api.ts';

type Options<F extends (options: never) => unknown> = Parameters<F>[0] extends { optionsJSON: infer O }
  ? O
  : never;

// The server makes these with the other half of the library: the contract does not repeat their shape.
const forSignIn = (options: unknown) => ({ optionsJSON: options as Options<typeof startAuthentication> });
const forEnrol = (options: unknown) => ({ optionsJSON: options as Options<typeof startRegistration> });

export async function registerPasskey(token: string): Promise<void> {
  const { options } = await call(enrolOptions, { body: { token } });
  const credential = await startRegistration(forEnrol(options));
  await call(enrol, { body: { token, credential: { ...credential } } });
}

export async function signInWithPasskey(): Promise<ModeratorView> {
  const { options } = await call(signInOptions);
  const credential = await startAuthentication(forSignIn(options));
  const { me } = await call(signIn, { body: { credential: { ...credential } } });
  return me;
}

/** Makes the call. If the server wants a fresh proof, asks for the passkey and makes the call once more. */
export async function withProof<T>(makeCall: () => Promise<T>): Promise<T> {
  try {
    return await makeCall();
  } catch (error) {
    if (!(error instanceof CallError && error.code === 'PROOF_REQUIRED')) throw error;
  }
  const { options } = await call(proveOptions);
  const credential = await startAuthentication(forSignIn(options));
  await call(prove, { body: { credential: { ...credential } } });
  return makeCall();
}
