/**
 * JSON with spaces after it, which a parser skips: the length then tells less about what it says. In bytes of UTF-8.
 */
function padTo(json: string, lengthFor: (bytes: number) => number): string {
  const bytes = Buffer.byteLength(json);
  return json + ' '.repeat(lengthFor(bytes) - bytes);
}

/** With what is added to it later, such as a nonce and a tag, it is a multiple. */
export function padToMultiple(json: string, multiple: number, addedLater = 0): string {
  return padTo(json, (bytes) => Math.ceil((bytes + addedLater) / multiple) * multiple - addedLater);
}

export function padToPowerOfTwo(json: string, least: number): string {
  return padTo(json, (bytes) => 2 ** Math.ceil(Math.log2(Math.max(bytes, least))));
}
