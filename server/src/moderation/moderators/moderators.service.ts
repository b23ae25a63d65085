import { hash } from 'node:crypto';
import type { ModeratorView } from '@unsaid/contract/moderation/console';
import { dayOf, type Clock } from '../../platform/clock.ts';
import { isUniqueViolation } from '../../platform/db-errors.ts';
import { transaction, type Databases } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { recordAudit } from '../audit.ts';
import type { Challenges } from './challenges.ts';
import { isProven, type Moderator } from './moderator.ts';
import type { ModeratorSessions } from './moderator-sessions.service.ts';
import { deleteSession, setProven } from './moderator-sessions.queries.ts';
import * as queries from './moderators.queries.ts';
import { challengeOf, credentialIdOf, type Passkeys } from './passkeys.ts';
import { severeLeft } from './severe-limit.ts';

type Json = Record<string, unknown>;

/** Passkeys and sessions of moderators. */
export interface ModeratorsService {
  enrolOptions(token: string): Promise<{ readonly alias: string; readonly options: Json }>;
  enrol(token: string, credential: Json): Promise<void>;
  signInOptions(): Promise<Json>;
  /** Returns the token of the new session. */
  signIn(credential: Json): Promise<{ readonly token: string; readonly moderator: Moderator }>;
  proveOptions(moderator: Moderator): Promise<Json>;
  prove(moderator: Moderator, credential: Json): Promise<Moderator>;
  signOut(moderator: Moderator): Promise<void>;
  view(moderator: Moderator): Promise<ModeratorView>;
}

interface ModeratorsDeps {
  readonly db: Databases;
  readonly clock: Clock;
  readonly challenges: Challenges;
  readonly passkeys: Passkeys;
  readonly sessions: ModeratorSessions;
}

export const enrolmentHash = (token: string) => hash('sha256', token, 'buffer');

export function createModeratorsService(deps: ModeratorsDeps): ModeratorsService {
  const { db, clock, challenges, passkeys, sessions } = deps;
  const now = () => new Date(clock.now());

  /** The challenge is used up whatever else is wrong, so a response can be tried once. */
  async function takeChallenge(
    purpose: Parameters<Challenges['take']>[0],
    credential: Json,
    subject?: Buffer,
  ): Promise<string> {
    const challenge = challengeOf(credential);
    if (challenge === null || !(await challenges.take(purpose, challenge, subject)))
      throw new AppError('PASSKEY_INVALID');
    return challenge;
  }

  async function verify(credential: Json, challenge: string, { isNamed }: { readonly isNamed: boolean }) {
    const credentialId = credentialIdOf(credential);
    const found = credentialId && (await queries.findPasskey(db.moderation, credentialId));
    if (!found) throw new AppError('PASSKEY_INVALID');
    const { moderator, passkey } = found;
    const counter = await passkeys.verifyAssertion(credential, {
      challenge,
      passkey,
      moderatorId: moderator.id,
      isNamed,
    });
    if (counter === null) throw new AppError('PASSKEY_INVALID');
    return { moderator, credentialId, counter };
  }

  return {
    async enrolOptions(token) {
      const enrolSha256 = enrolmentHash(token);
      const moderator = await queries.findByEnrolment(db.moderation, enrolSha256, now());
      if (!moderator) throw new AppError('ENROL_INVALID');
      const options = await passkeys.registrationOptions({
        alias: moderator.alias,
        moderatorId: moderator.id,
        challenge: await challenges.issue('enrol', enrolSha256),
        known: await queries.listCredentialIds(db.moderation, moderator.id),
      });
      return { alias: moderator.alias, options };
    },

    async enrol(token, credential) {
      const enrolSha256 = enrolmentHash(token);
      if (!(await queries.findByEnrolment(db.moderation, enrolSha256, now())))
        throw new AppError('ENROL_INVALID');
      const challenge = await takeChallenge('enrol', credential, enrolSha256);
      const passkey = await passkeys.verifyRegistration(credential, challenge);
      if (!passkey) throw new AppError('PASSKEY_INVALID');
      await transaction(db.moderation, async (tx) => {
        const moderator = await queries.useEnrolment(tx, enrolSha256, now());
        if (!moderator) throw new AppError('ENROL_INVALID');
        await queries.insertPasskey(tx, {
          ...passkey,
          moderatorId: moderator.id,
          addedOn: dayOf(clock.now()),
        });
        await recordAudit(tx, { at: now(), actor: moderator.alias, action: 'passkey_registered' });
      }).catch((error: unknown) => {
        if (isUniqueViolation(error, 'passkeys_pkey')) throw new AppError('PASSKEY_INVALID');
        throw error;
      });
    },

    signInOptions: async () => passkeys.assertionOptions({ challenge: await challenges.issue('sign-in') }),

    async signIn(credential) {
      const challenge = await takeChallenge('sign-in', credential);
      const { moderator, credentialId, counter } = await verify(credential, challenge, { isNamed: true });
      return transaction(db.moderation, async (tx) => {
        if (!(await queries.advanceCounter(tx, credentialId, counter))) throw new AppError('PASSKEY_INVALID');
        const { token, sessionHash } = await sessions.open(tx, moderator.id);
        await recordAudit(tx, { at: now(), actor: moderator.alias, action: 'signed_in' });
        const { id: moderatorId, alias, role } = moderator;
        return { token, moderator: { moderatorId, alias, role, provenAt: now(), sessionHash } };
      });
    },

    async proveOptions({ moderatorId, sessionHash }) {
      return passkeys.assertionOptions({
        challenge: await challenges.issue('prove', sessionHash),
        allowed: await queries.listCredentialIds(db.moderation, moderatorId),
      });
    },

    async prove(moderator, credential) {
      const challenge = await takeChallenge('prove', credential, moderator.sessionHash);
      const verified = await verify(credential, challenge, { isNamed: false });
      // The passkey of somebody else proves nothing for this session.
      if (verified.moderator.id !== moderator.moderatorId) throw new AppError('PASSKEY_INVALID');
      return transaction(db.moderation, async (tx) => {
        if (!(await queries.advanceCounter(tx, verified.credentialId, verified.counter)))
          throw new AppError('PASSKEY_INVALID');
        await setProven(tx, moderator.sessionHash, now());
        await recordAudit(tx, { at: now(), actor: moderator.alias, action: 'proved' });
        return { ...moderator, provenAt: now() };
      });
    },

    async signOut({ alias, sessionHash }) {
      await transaction(db.moderation, async (tx) => {
        await deleteSession(tx, sessionHash);
        await recordAudit(tx, { at: now(), actor: alias, action: 'signed_out' });
      });
    },

    async view(moderator) {
      const [left, activeModerators] = await Promise.all([
        severeLeft(db.moderation, moderator, clock),
        queries.countActive(db.moderation),
      ]);
      return {
        alias: moderator.alias,
        role: moderator.role,
        isProven: isProven(moderator, clock),
        severeLeft: left,
        activeModerators,
      };
    },
  };
}
