import type { Endpoint } from './endpoint.ts';

/** Body limit of calls with a phone number, and a proof of work where older clients still send one. */
export const codeBodyBytes = 1024;

/** In bytes. The last one is what `max_size 32KB` in deploy/Caddyfile lets through. */
const steps = [4096, 8192, 16_384, 32_000];
const lastStep = 32_000;

/** A request leaves room for what its answer adds to the same words, so that the answer has the same step. */
const roomBytes = 512;

const toMultiple = (bytes: number, multiple: number) => Math.ceil(bytes / multiple) * multiple;

/**
 * How many bytes the JSON of a request is filled to with spaces, so that its length does not tell an observer of the network
 * which of the vents and comments that everybody reads was sent. `bytes` is its own length.
 */
export function padRequestTo({ maxBodyBytes, padToBytes }: Endpoint, bytes: number): number {
  if (padToBytes !== undefined) return toMultiple(bytes, padToBytes);
  return Math.max(bytes, maxBodyBytes ?? steps.find((step) => step >= bytes + roomBytes) ?? lastStep);
}

/** Whether an answer depends on who asks. It is filled, and no proxy may compress it. */
export const isAnswerFilled = ({ auth = 'session', body, padToBytes }: Endpoint): boolean =>
  auth === 'session' || body !== undefined || padToBytes !== undefined;

/**
 * The same of its response, also of an error, and of reading: one byte more tells whose vent it is (`isOwner`), or that an
 * account is limited. Never shorter than the request: what is answered then tells nothing either.
 */
export function padResponseTo(endpoint: Endpoint, bytes: number, requestBytes: number): number {
  const { maxBodyBytes, padToBytes } = endpoint;
  if (padToBytes !== undefined) return toMultiple(bytes, padToBytes);
  if (!isAnswerFilled(endpoint)) return bytes;
  const least = Math.max(bytes, Math.min(requestBytes, lastStep));
  return [maxBodyBytes ?? 0, ...steps].find((step) => step >= least) ?? toMultiple(bytes, 16_384);
}
