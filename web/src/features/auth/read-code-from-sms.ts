import { limits } from '@unsaid/contract';

/**
 * WebOTP: Android browsers can read the code from the SMS after asking for permission. Without support or
 * permission, the code is typed.
 */
export async function readCodeFromSms(signal: AbortSignal): Promise<string | undefined> {
  if (!('OTPCredential' in window)) return undefined;
  try {
    // `otp` is missing from the DOM types.
    const request = { otp: { transport: ['sms'] }, signal } as CredentialRequestOptions;
    const credential: unknown = await navigator.credentials.get(request);
    if (typeof credential !== 'object' || credential === null || !('code' in credential)) return undefined;
    const code = String(credential.code);
    return code.length === limits.otpLength ? code : undefined;
  } catch {
    return undefined;
  }
}
