/** Liveness of this container's process. Does not check the stores: a restart would not bring them back. */
const { SERVICES = 'api,worker', PORT = '3000', METRICS_PORT = '9464', MOD_PORT = '3001' } = process.env;
// A worker listens only on the metrics port.
const page = SERVICES.includes('api')
  ? `${PORT}/healthz`
  : SERVICES.includes('mod')
    ? `${MOD_PORT}/healthz`
    : `${METRICS_PORT}/metrics`;
const address = `http://127.0.0.1:${page}`;
const isAlive = await fetch(address, { signal: AbortSignal.timeout(2500) }).then(
  ({ ok }) => ok,
  () => false,
);
process.exitCode = isAlive ? 0 : 1;
