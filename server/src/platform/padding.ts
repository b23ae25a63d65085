/**
 * JSON with spaces after it, which a parser skips: the length then tells less about what it says. In bytes of UTF-8.
 */
export function padToLength(json: string, length: number): string {
  return json + ' '.repeat(length - Buffer.byteLength(json));
}

/** With what is added to it later, such as a nonce and a tag, it is a multiple. */
export function padToMultiple(json: string, multiple: number, addedLater = 0): string {
  const bytes = Buffer.byteLength(json);
  return padToLength(json, Math.ceil((bytes + addedLater) / multiple) * multiple - addedLater);
}

export function padToPowerOfTwo(json: string, least: number): string {
  return padToLength(json, 2 ** Math.ceil(Math.log2(Math.max(Buffer.byteLength(json), least))));
}
