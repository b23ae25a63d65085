import { randomBytes } from 'node:crypto';

/** Of a row: 52 random bits and never 0. Safe as a JavaScript number. */
export const randomRowId = () => (randomBytes(8).readBigUInt64BE() >> 12n) + 1n;
