import type { FastifyInstance } from 'fastify';

/** What differs between the pages of users and those of moderators. */
export interface PageRules {
  readonly isSecure: boolean;
  readonly pagePolicy: string;
  readonly permissionsPolicy: string;
}

/** No inline script or style, nothing from other origins, and no text that becomes code. */
const pagePolicy = (isSecure: boolean, connections: string) =>
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; " +
  `connect-src ${connections}; ` +
  "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; " +
  "frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; trusted-types unsaid" +
  (isSecure ? '; upgrade-insecure-requests' : '');
const dataPolicy = "default-src 'none'; frame-ancestors 'none'";
/** A service worker has the policy of its own file: it may only fetch from this origin. */
export const workerPolicy = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'";

const closedFeatures =
  'accelerometer autoplay camera display-capture encrypted-media ' +
  'fullscreen gamepad geolocation gyroscope hid idle-detection magnetometer microphone midi payment ' +
  'picture-in-picture publickey-credentials-create publickey-credentials-get screen-wake-lock serial usb ' +
  'xr-spatial-tracking';
const permissions = (...open: readonly string[]) =>
  [
    ...closedFeatures
      .split(' ')
      .filter((feature) => !open.includes(feature))
      .map((feature) => `${feature}=()`),
    ...open.map((feature) => `${feature}=(self)`),
  ].join(', ');

/** The live connection is named with its host: older versions of WebKit do not count it as 'self'. */
export function userPages(origin: URL): PageRules {
  const isSecure = origin.protocol === 'https:';
  return {
    isSecure,
    pagePolicy: pagePolicy(isSecure, `'self' ${origin.origin.replace(/^http/u, 'ws')}`),
    permissionsPolicy: permissions('otp-credentials'),
  };
}

/** Moderators sign in with passkeys and have no live connection. */
export function consolePages(origin: URL): PageRules {
  const isSecure = origin.protocol === 'https:';
  return {
    isSecure,
    pagePolicy: pagePolicy(isSecure, "'self'"),
    permissionsPolicy: permissions('publickey-credentials-create', 'publickey-credentials-get'),
  };
}

/** For every response, errors included; also used where a response does not go through the framework. */
export function securityHeaders({ isSecure, permissionsPolicy }: PageRules): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'permissions-policy': permissionsPolicy,
    'content-security-policy': dataPolicy,
    'cache-control': 'no-store',
    ...(isSecure ? { 'strict-transport-security': 'max-age=63072000; includeSubDomains' } : {}),
  };
}

export function registerHeaders(app: FastifyInstance, pages: PageRules): void {
  const headers = securityHeaders(pages);
  // A callback, not an async hook: on every request a promise costs more than the work.
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (String(reply.getHeader('content-type') ?? '').startsWith('text/html')) {
      reply.header('content-security-policy', pages.pagePolicy);
    }
    done(null, payload);
  });
}
