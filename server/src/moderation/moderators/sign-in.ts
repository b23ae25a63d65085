import type { ModerationBase } from '../../kernel/base.ts';
import type { ModeratorView } from '@unsaid/contract/moderation/console';
import { dayOf } from '../../platform/clock.ts';
import { isUniqueViolation } from '../../platform/db-errors.ts';
import { transaction } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { recordAudit } from '../audit.ts';
import type { Challenges } from './challenges.ts';
import { isModeratorSealed, isProven, sealModerator, type Moderator } from './moderator.ts';
import type { ModeratorSessions } from './moderator-sessions.ts';
import { deleteSession } from './moderator-sessions.queries.ts';
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

interface ModeratorsDeps extends Pick<ModerationBase, 'db' | 'clock' | 'seals'> {
  readonly challenges: Challenges;
  readonly passkeys: Passkeys;
  readonly sessions: ModeratorSessions;
}

export function createModeratorsService(deps: ModeratorsDeps): ModeratorsService {
  const { db, clock, seals, challenges, passkeys, sessions } = deps;
  const now = () => new Date(clock.now());

  async function findByEnrolment(...asked: Parameters<typeof queries.findByEnrolment>) {
    const moderator = await queries.findByEnrolment(...asked);
    if (!moderator || !isModeratorSealed(seals, moderator)) throw new AppError('ENROL_INVALID');
    return moderator;
  }

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
    const found = credentialId && (await queries.findPasskey(db, credentialId));
    if (!found || !isModeratorSealed(seals, found.moderator)) throw new AppError('PASSKEY_INVALID');
    const { moderator, passkey } = found;
    if (!seals.fits('passkey', passkey.passkeySeal, passkey.credentialId, moderator.id, passkey.publicKey))
      throw new AppError('PASSKEY_INVALID');
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
      const enrolKey = seals.lookupKey('enrol', token);
      const moderator = await findByEnrolment(db, enrolKey, now());
      const options = await passkeys.registrationOptions({
        alias: moderator.alias,
        moderatorId: moderator.id,
        challenge: await challenges.issue('enrol', enrolKey),
        known: await queries.listCredentialIds(db, moderator.id),
      });
      return { alias: moderator.alias, options };
    },

    async enrol(token, credential) {
      const enrolKey = seals.lookupKey('enrol', token);
      await findByEnrolment(db, enrolKey, now());
      const challenge = await takeChallenge('enrol', credential, enrolKey);
      const passkey = await passkeys.verifyRegistration(credential, challenge);
      if (!passkey) throw new AppError('PASSKEY_INVALID');
      await transaction(db, async (tx) => {
        const moderator = await findByEnrolment(tx, enrolKey, now(), { isLocked: true });
        const used = { ...moderator, enrolKey: null, enrolUntil: null };
        await queries.updateModerator(tx, sealModerator(seals, used));
        await queries.insertPasskey(tx, {
          ...passkey,
          moderatorId: moderator.id,
          addedOn: dayOf(clock.now()),
          seal: seals.seal('passkey', passkey.credentialId, moderator.id, passkey.publicKey),
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
      return transaction(db, async (tx) => {
        if (!(await queries.advanceCounter(tx, credentialId, counter))) throw new AppError('PASSKEY_INVALID');
        const opened = await sessions.open(tx, moderator);
        await recordAudit(tx, { at: now(), actor: moderator.alias, action: 'signed_in' });
        return opened;
      });
    },

    async proveOptions({ moderatorId, sessionHash }) {
      return passkeys.assertionOptions({
        challenge: await challenges.issue('prove', sessionHash),
        allowed: await queries.listCredentialIds(db, moderatorId),
      });
    },

    async prove(moderator, credential) {
      const challenge = await takeChallenge('prove', credential, moderator.sessionHash);
      const verified = await verify(credential, challenge, { isNamed: false });
      // The passkey of somebody else proves nothing for this session.
      if (verified.moderator.id !== moderator.moderatorId) throw new AppError('PASSKEY_INVALID');
      return transaction(db, async (tx) => {
        if (!(await queries.advanceCounter(tx, verified.credentialId, verified.counter)))
          throw new AppError('PASSKEY_INVALID');
        const proven = await sessions.prove(tx, moderator);
        await recordAudit(tx, { at: now(), actor: moderator.alias, action: 'proved' });
        return proven;
      });
    },

    async signOut({ alias, sessionHash }) {
      await transaction(db, async (tx) => {
        await deleteSession(tx, sessionHash);
        await recordAudit(tx, { at: now(), actor: alias, action: 'signed_out' });
      });
    },

    async view(moderator) {
      const [left, activeModerators] = await Promise.all([
        severeLeft(db, moderator, clock),
        queries.countActive(db),
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
