import { limits } from '@unsaid/contract';

/**
 * On Android the browser can hand over the code from the message, after asking (WebOTP).
 * Where it cannot, or the person says no, nothing happens and the boxes are there.
 */
export async function readCodeFromSms(signal: AbortSignal): Promise<string | undefined> {
  if (!('OTPCredential' in window)) return undefined;
  try {
    // The types of the platform do not know `otp` yet.
    const request = { otp: { transport: ['sms'] }, signal } as CredentialRequestOptions;
    const credential: unknown = await navigator.credentials.get(request);
    if (typeof credential !== 'object' || credential === null || !('code' in credential)) return undefined;
    const code = String(credential.code);
    return code.length === limits.otpLength ? code : undefined;
  } catch {
    return undefined;
  }
}
