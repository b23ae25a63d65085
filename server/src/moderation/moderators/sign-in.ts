import type { ModeratorView } from '@unsaid/contract/moderation/console';
import type { ModerationBase } from '../../kernel/base.ts';
import { dayOf } from '../../platform/clock.ts';
import { isUniqueViolation } from '../../platform/db-errors.ts';
import { inTransaction } from '../../platform/db.ts';
import { AppError } from '../../platform/errors.ts';
import { recordAudit } from '../audit.ts';
import type { ConsoleContext } from '../context.ts';
import { issueChallenge, takeChallenge, type Purpose } from './challenges.ts';
import { deleteSession } from './moderator-sessions.queries.ts';
import { openModeratorSession, recordProof } from './moderator-sessions.ts';
import { isModeratorSealed, isProven, sealModerator, severeLeft, type Moderator } from './moderator.ts';
import * as queries from './moderators.queries.ts';
import { challengeOf, credentialIdOf, type Json } from './passkeys.ts';

const nowOf = ({ clock }: ModerationBase) => new Date(clock.now());

async function requireEnrolment(ctx: ModerationBase, enrolKey: Buffer, { isLocked } = { isLocked: false }) {
  const moderator = await queries.findByEnrolment(ctx.db, enrolKey, nowOf(ctx), { isLocked });
  if (!moderator || !isModeratorSealed(ctx.seals, moderator)) throw new AppError('ENROL_INVALID');
  return moderator;
}

/** The challenge is used up whatever else is wrong, so a response can be tried once. */
async function requireChallenge(ctx: ModerationBase, purpose: Purpose, credential: Json, subject?: Buffer) {
  const challenge = challengeOf(credential);
  if (challenge === null || !(await takeChallenge(ctx, purpose, challenge, subject)))
    throw new AppError('PASSKEY_INVALID');
  return challenge;
}

async function verifyPasskey(
  { db, seals, passkeys }: ConsoleContext,
  credential: Json,
  { challenge, isNamed }: { readonly challenge: string; readonly isNamed: boolean },
) {
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

export async function startEnrolment(ctx: ConsoleContext, token: string) {
  const enrolKey = ctx.seals.lookupKey('enrol', token);
  const moderator = await requireEnrolment(ctx, enrolKey);
  const options = await ctx.passkeys.registrationOptions({
    alias: moderator.alias,
    moderatorId: moderator.id,
    challenge: await issueChallenge(ctx, 'enrol', enrolKey),
    known: await queries.listCredentialIds(ctx.db, moderator.id),
  });
  return { alias: moderator.alias, options };
}

export async function enrolPasskey(ctx: ConsoleContext, token: string, credential: Json): Promise<void> {
  const enrolKey = ctx.seals.lookupKey('enrol', token);
  await requireEnrolment(ctx, enrolKey);
  const challenge = await requireChallenge(ctx, 'enrol', credential, enrolKey);
  const passkey = await ctx.passkeys.verifyRegistration(credential, challenge);
  if (!passkey) throw new AppError('PASSKEY_INVALID');
  await inTransaction(ctx, async (ctx) => {
    const { db, seals } = ctx;
    const moderator = await requireEnrolment(ctx, enrolKey, { isLocked: true });
    const used = { ...moderator, enrolKey: null, enrolUntil: null };
    await queries.updateModerator(db, sealModerator(seals, used));
    await queries.insertPasskey(db, {
      ...passkey,
      moderatorId: moderator.id,
      addedOn: dayOf(ctx.clock.now()),
      seal: seals.seal('passkey', passkey.credentialId, moderator.id, passkey.publicKey),
    });
    await recordAudit(db, { at: nowOf(ctx), actor: moderator.alias, action: 'passkey_registered' });
  }).catch((error: unknown) => {
    if (isUniqueViolation(error, 'passkeys_pkey')) throw new AppError('PASSKEY_INVALID');
    throw error;
  });
}

export async function startSignIn(ctx: ConsoleContext): Promise<Json> {
  return ctx.passkeys.assertionOptions({ challenge: await issueChallenge(ctx, 'sign-in') });
}

/** Returns the token of the new session. */
export async function signInModerator(ctx: ConsoleContext, credential: Json) {
  const challenge = await requireChallenge(ctx, 'sign-in', credential);
  const { moderator, credentialId, counter } = await verifyPasskey(ctx, credential, {
    challenge,
    isNamed: true,
  });
  return inTransaction(ctx, async (ctx) => {
    if (!(await queries.advanceCounter(ctx.db, credentialId, counter))) throw new AppError('PASSKEY_INVALID');
    const opened = await openModeratorSession(ctx, moderator);
    await recordAudit(ctx.db, { at: nowOf(ctx), actor: moderator.alias, action: 'signed_in' });
    return opened;
  });
}

export async function startProof(ctx: ConsoleContext, { moderatorId, sessionHash }: Moderator) {
  return ctx.passkeys.assertionOptions({
    challenge: await issueChallenge(ctx, 'prove', sessionHash),
    allowed: await queries.listCredentialIds(ctx.db, moderatorId),
  });
}

export async function proveModerator(ctx: ConsoleContext, moderator: Moderator, credential: Json) {
  const challenge = await requireChallenge(ctx, 'prove', credential, moderator.sessionHash);
  const verified = await verifyPasskey(ctx, credential, { challenge, isNamed: false });
  // The passkey of somebody else proves nothing for this session.
  if (verified.moderator.id !== moderator.moderatorId) throw new AppError('PASSKEY_INVALID');
  return inTransaction(ctx, async (ctx) => {
    if (!(await queries.advanceCounter(ctx.db, verified.credentialId, verified.counter)))
      throw new AppError('PASSKEY_INVALID');
    const proven = await recordProof(ctx, moderator);
    await recordAudit(ctx.db, { at: nowOf(ctx), actor: moderator.alias, action: 'proved' });
    return proven;
  });
}

export async function signOutModerator(ctx: ConsoleContext, { alias, sessionHash }: Moderator) {
  await inTransaction(ctx, async (ctx) => {
    await deleteSession(ctx.db, sessionHash);
    await recordAudit(ctx.db, { at: nowOf(ctx), actor: alias, action: 'signed_out' });
  });
}

export async function viewModerator(ctx: ConsoleContext, moderator: Moderator): Promise<ModeratorView> {
  const [left, activeModerators] = await Promise.all([
    severeLeft(ctx, moderator),
    queries.countActive(ctx.db),
  ]);
  return {
    alias: moderator.alias,
    role: moderator.role,
    isProven: isProven(ctx, moderator),
    severeLeft: left,
    activeModerators,
  };
}
