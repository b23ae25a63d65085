import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { challengeSeconds } from './challenges.ts';
import type { PasskeyRow } from './moderators.queries.ts';

export type Json = Record<string, unknown>;

/** ES256, EdDSA, RS256. Post-quantum keys would not fit the column. */
const algorithms = [-7, -8, -257];

const handleOf = (moderatorId: number) => Buffer.from(`moderator:${moderatorId}`);

export type Passkeys = Awaited<ReturnType<typeof createPasskeys>>;

/** WebAuthn: discoverable passkeys with user verification, no attestation. The only user of the library. */
export async function createPasskeys(origin: URL) {
  // Loaded here, so that only a process that builds the moderation app has the library in memory.
  const webauthn = await import('@simplewebauthn/server');
  const rpID = origin.hostname;
  const timeout = challengeSeconds * 1000;
  const expected = { expectedOrigin: origin.origin, expectedRPID: rpID, requireUserVerification: true };
  const named = (ids: readonly Buffer[]) => ids.map((id) => ({ id: id.toString('base64url') }));

  return {
    async registrationOptions(of: {
      readonly alias: string;
      readonly moderatorId: number;
      readonly challenge: Buffer<ArrayBuffer>;
      readonly known: readonly Buffer[];
    }): Promise<Json> {
      const options = await webauthn.generateRegistrationOptions({
        rpName: 'Unsaid moderation',
        rpID,
        userName: of.alias,
        userDisplayName: of.alias,
        userID: handleOf(of.moderatorId),
        challenge: of.challenge,
        timeout,
        attestationType: 'none',
        excludeCredentials: named(of.known),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        supportedAlgorithmIDs: algorithms,
      });
      return { ...options };
    },

    /** Null if anything in it is wrong. */
    async verifyRegistration(credential: Json, expectedChallenge: string): Promise<PasskeyRow | null> {
      const result = await orNull(
        webauthn.verifyRegistrationResponse({
          ...expected,
          response: credential as unknown as RegistrationResponseJSON,
          expectedChallenge,
          supportedAlgorithmIDs: algorithms,
        }),
      );
      if (!result?.verified) return null;
      const { id, publicKey, counter } = result.registrationInfo.credential;
      return {
        credentialId: Buffer.from(id, 'base64url'),
        publicKey: Buffer.from(publicKey),
        counter: BigInt(counter),
      };
    },

    /** Without `allowed` the authenticator offers the passkeys that it has for this site. */
    async assertionOptions(of: {
      readonly challenge: Buffer<ArrayBuffer>;
      readonly allowed?: readonly Buffer[];
    }): Promise<Json> {
      const options = await webauthn.generateAuthenticationOptions({
        rpID,
        challenge: of.challenge,
        timeout,
        userVerification: 'required',
        ...(of.allowed ? { allowCredentials: named(of.allowed) } : {}),
      });
      return { ...options };
    },

    /**
     * The authenticator's new counter; null if anything is wrong. `isNamed`: the response must say whose passkey it is.
     * It may leave that out where the options had `allowed`.
     */
    async verifyAssertion(
      credential: Json,
      of: {
        readonly challenge: string;
        readonly passkey: PasskeyRow;
        readonly moderatorId: number;
        readonly isNamed: boolean;
      },
    ): Promise<bigint | null> {
      // A discoverable passkey says whose it is.
      const { userHandle = null } = credential['response'] as { userHandle?: unknown };
      const isUnnamed = userHandle === null && !of.isNamed;
      if (!isUnnamed && userHandle !== handleOf(of.moderatorId).toString('base64url')) return null;
      const result = await orNull(
        webauthn.verifyAuthenticationResponse({
          ...expected,
          response: credential as unknown as AuthenticationResponseJSON,
          expectedChallenge: of.challenge,
          credential: {
            id: of.passkey.credentialId.toString('base64url'),
            publicKey: new Uint8Array(of.passkey.publicKey),
            counter: Number(of.passkey.counter),
          },
        }),
      );
      return result?.verified ? BigInt(result.authenticationInfo.newCounter) : null;
    },
  };
}

/** The library throws for everything that is wrong with what a client sent. */
async function orNull<T>(verification: Promise<T>): Promise<T | null> {
  try {
    return await verification;
  } catch {
    return null;
  }
}

/** The challenge that a response claims to have signed; null if it cannot be read. */
export function challengeOf(credential: Json): string | null {
  try {
    const { clientDataJSON } = credential['response'] as { clientDataJSON: string };
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8')) as Json;
    return typeof challenge === 'string' ? challenge : null;
  } catch {
    return null;
  }
}

/** Null if it cannot be the id of a passkey. */
export function credentialIdOf({ id }: Json): Buffer | null {
  return typeof id === 'string' && /^[A-Za-z0-9_-]{20,1400}$/u.test(id) ? Buffer.from(id, 'base64url') : null;
}
