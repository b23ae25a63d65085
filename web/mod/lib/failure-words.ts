import { WebAuthnError } from '@simplewebauthn/browser';
import { CallError } from '../api.ts';

const kind: Readonly<Record<string, string>> = {
  ENROL_INVALID: 'This link was used already, or it has expired. Ask a lead for a new one.',
  PASSKEY_INVALID:
    'This passkey is not known here. Use the one you registered for Unsaid, or ask a lead for a new link.',
  PROOF_REQUIRED: 'This needs your passkey once more. Nothing was changed.',
  ROLE_REQUIRED: 'Your role does not allow this. You can hand the case to a lead.',
  SECOND_PERSON: 'You decided this case, so somebody else has to look at it now.',
  LEASE_LOST: 'You no longer hold this case: ten minutes went by, or somebody else took it.',
  CASE_CHANGED:
    'Something about this case changed while you were reading. What you chose is still here: look at the brief once more, then confirm again.',
  CASE_CLOSED: 'This case is closed already.',
  POLICY_REQUIRED: 'Choose the rule that was broken.',
  ENOUGH_FOR_TODAY:
    "You've read enough hard texts for today. Please give this one back: a colleague will take it, and nobody will ask why. Step away for a while, you did good work.",
  RATE_LIMITED: 'That was a lot of calls in a short time. Wait a minute and try again.',
  VENT_NOT_FOUND: 'There is no such vent, or its author deleted it.',
  COMMENT_NOT_FOUND: 'There is no such comment under this vent.',
  NOT_FOUND: 'Nothing was found there.',
};

/** Why it failed, in plain words. */
export function failureWords(error: unknown): string {
  if (error instanceof CallError) {
    if (error.status === 0) return 'The server could not be reached. Check your connection and try again.';
    return kind[error.code] || error.sentence || 'Something broke on our side. Please try again.';
  }
  if (error instanceof WebAuthnError) {
    if (error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
      return 'This device holds a passkey for you already. You can sign in.';
    if (error.code === 'ERROR_AUTHENTICATOR_MISSING_USER_VERIFICATION_SUPPORT')
      return 'This passkey cannot check that it is you. Use one with a fingerprint, a face or a PIN.';
    if (error.code === 'ERROR_INVALID_DOMAIN' || error.code === 'ERROR_INVALID_RP_ID')
      return 'Passkeys do not work at this address. Open the console by its own address.';
  }
  // What the browser says when the prompt was closed or nothing was chosen in time.
  if (error instanceof Error && (error.name === 'NotAllowedError' || error.name === 'AbortError'))
    return 'The passkey was not used. Nothing was changed; you can try again.';
  if (error instanceof Error && /not supported/u.test(error.message))
    return 'This browser does not support passkeys.';
  return 'That did not work. Please try again.';
}

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof CallError && codes.includes(error.code);
