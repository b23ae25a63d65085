import type { FastifyInstance } from 'fastify';

/**
 * No inline script or style, nothing from other origins, and no text that becomes code. The live connection is named
 * with its host: older versions of WebKit do not count it as 'self'.
 */
const pagePolicy = (publicOrigin: URL) =>
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; " +
  `connect-src 'self' ${publicOrigin.origin.replace(/^http/u, 'ws')}; ` +
  "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; " +
  "frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; trusted-types unsaid";
const dataPolicy = "default-src 'none'; frame-ancestors 'none'";
/** A service worker has the policy of its own file: it may only fetch from this origin. */
export const workerPolicy = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'";

const closedFeatures =
  'accelerometer autoplay camera display-capture encrypted-media ' +
  'fullscreen gamepad geolocation gyroscope hid idle-detection magnetometer microphone midi payment ' +
  'picture-in-picture screen-wake-lock serial usb xr-spatial-tracking';
const permissionsPolicy = [
  ...closedFeatures.split(' ').map((feature) => `${feature}=()`),
  'otp-credentials=(self)',
  'publickey-credentials-get=(self)',
].join(', ');

/** For every response, errors included; also used where a response does not go through the framework. */
export function securityHeaders(isSecure: boolean): Record<string, string> {
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

export function registerHeaders(app: FastifyInstance, publicOrigin: URL): void {
  const isSecure = publicOrigin.protocol === 'https:';
  const headers = securityHeaders(isSecure);
  const policy = pagePolicy(publicOrigin) + (isSecure ? '; upgrade-insecure-requests' : '');
  // A callback, not an async hook: on every request a promise costs more than the work.
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (String(reply.getHeader('content-type') ?? '').startsWith('text/html')) {
      reply.header('content-security-policy', policy);
    }
    done(null, payload);
  });
}
