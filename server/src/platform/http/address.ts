import { isIPv6 } from 'node:net';
import { hmac } from '../crypto/keys.ts';

/** An IPv4 address, or the /64 of an IPv6 address, which is what one household or phone is given. */
export function addressBlock(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(address)?.[1];
  if (mapped) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.toLowerCase().split('%')[0]?.split('::') ?? [];
  const before = head.split(':').filter(Boolean);
  const after = tail?.split(':').filter(Boolean) ?? [];
  const groups =
    tail === undefined
      ? before
      : [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/u, ''))
    .join(':');
}

export function addressKey(key: Buffer, address: string): string {
  return hmac(key, addressBlock(address)).subarray(0, 16).toString('base64url');
}
