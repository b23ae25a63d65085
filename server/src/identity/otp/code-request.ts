import type { OtpPurpose } from '@unsaid/contract';
import type { SignInCookies } from '../sign-in-cookies.ts';

type Caller = Parameters<SignInCookies['challengeId']>[0] & {
  readonly addressKey: string;
  readonly networkKey: string;
};

/** The fields that every call of `OtpService` needs: from the body, the challenge cookie and the caller's address. */
export function codeRequest<Body extends { readonly phone: string }>(
  caller: Caller,
  cookies: SignInCookies,
  body: Body,
  purpose: OtpPurpose,
) {
  const { addressKey, networkKey } = caller;
  return { ...body, purpose, challengeId: cookies.challengeId(caller), addressKey, networkKey };
}
