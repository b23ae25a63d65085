import { isIPv4, isIPv6 } from 'node:net';
import { hmac } from '../crypto/keys.ts';

/** How much of an IPv6 address counts: /64 is what one phone is given, /56 what one home is given at most. */
type Prefix = 64 | 56;

/** An address as a proxy may forward it, without its port and zone. Null for what is no address. */
export function parseAddress(text: string): string | null {
  const bare = /^\[([^\]]*)\](?::\d{1,5})?$/u.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d{1,5}$/u, '$1');
  const [address = ''] = bare.split('%');
  return isIPv4(address) || isIPv6(address) ? address : null;
}

/** An IPv4 address, or the first bits of an IPv6 address. What is no address is refused before (guards.ts). */
export function addressBlock(text: string, prefix: Prefix = 64): string {
  const address = parseAddress(text);
  if (address === null || isIPv4(address)) return address ?? '';
  const groups = groupsOf(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.');
  const [first = 0, second = 0, third = 0, fourth = 0] = groups;
  const masked = [first, second, third, prefix === 64 ? fourth : fourth & 0xff00];
  return masked.map((group) => group.toString(16)).join(':');
}

/** The eight groups. The parser of URLs writes every spelling in one way, with at most one `::`. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const numbers = (part: string) =>
    part
      .split(':')
      .filter(Boolean)
      .map((group) => Number.parseInt(group, 16));
  const [before, after] = [numbers(head), numbers(tail ?? '')];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

export function addressKey(key: Buffer, address: string, prefix: Prefix = 64): string {
  return hmac(key, addressBlock(address, prefix)).subarray(0, 16).toString('base64url');
}
