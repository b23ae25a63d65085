import { livePace } from '@unsaid/contract';
import { padToMultiple } from '../padding.ts';

/** A frame as JSON, filled with spaces to a multiple of 512 bytes: an observer of the network sees one length. */
export function toFrame(frame: object): string {
  return padToMultiple(JSON.stringify(frame), livePace.padBytes);
}
