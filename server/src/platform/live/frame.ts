import { livePace } from '@unsaid/contract';

/** A frame as JSON, filled with spaces to a multiple of 512 bytes: an observer of the network sees one length. */
export function toFrame(frame: object): string {
  const json = JSON.stringify(frame);
  const bytes = Buffer.byteLength(json);
  return json + ' '.repeat(Math.ceil(bytes / livePace.padBytes) * livePace.padBytes - bytes);
}
