let token: string | null = null;

/** Takes the single-use token out of the address. It lives in memory only. */
export function takeEnrolToken(): void {
  if (location.pathname !== '/enrol' || location.hash === '') return;
  token = decodeURIComponent(location.hash.slice(1));
  history.replaceState(history.state, '', '/enrol');
}

export const enrolToken = (): string | null => token;

export function forgetEnrolToken(): void {
  token = null;
}
