import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** A passkey in software, as a browser with an authenticator makes it: ES256, discoverable, attestation none. */
export interface Authenticator {
  /** What a test changes to make a response wrong. */
  origin: string;
  rpId: string;
  isUserVerified: boolean;
  /** 0 stays 0, like a synced passkey. */
  counter: number;
  readonly credentialId: Buffer;
  register(options: Json): Json;
  assert(options: Json): Json;
}

type Json = Record<string, unknown>;

const base64url = (bytes: Buffer) => bytes.toString('base64url');
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();

export function createPasskey(origin: URL, { counter = 0 } = {}): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(32);
  let userHandle = '';

  const authenticator: Authenticator = {
    origin: origin.origin,
    rpId: origin.hostname,
    isUserVerified: true,
    counter,
    credentialId,
    register(options) {
      userHandle = (options['user'] as { id: string }).id;
      const clientDataJSON = clientData('webauthn.create', options);
      const id = Buffer.alloc(2);
      id.writeUInt16BE(credentialId.length);
      const attested = Buffer.concat([Buffer.alloc(16), id, credentialId, coseKey(publicKey)]);
      const authData = Buffer.concat([authenticatorData(0x40), attested]);
      const attestationObject = cbor(
        new Map<string, Cbor>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', authData],
        ]),
      );
      return credential({ clientDataJSON, attestationObject: base64url(attestationObject) });
    },
    assert(options) {
      if (authenticator.counter > 0) authenticator.counter += 1;
      const clientDataJSON = clientData('webauthn.get', options);
      const authData = authenticatorData(0);
      const signed = Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
      return credential({
        clientDataJSON,
        authenticatorData: base64url(authData),
        signature: base64url(sign('sha256', signed, privateKey)),
        userHandle,
      });
    },
  };

  function clientData(type: string, { challenge }: Json): string {
    const text = JSON.stringify({ type, challenge, origin: authenticator.origin, crossOrigin: false });
    return base64url(Buffer.from(text));
  }

  function authenticatorData(flags: number): Buffer {
    const head = Buffer.alloc(5);
    head[0] = flags | 0x01 | (authenticator.isUserVerified ? 0x04 : 0);
    head.writeUInt32BE(authenticator.counter, 1);
    return Buffer.concat([sha256(authenticator.rpId), head]);
  }

  function credential(response: Json): Json {
    const id = base64url(credentialId);
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  }

  return authenticator;
}

/** An EC2 key in COSE form. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return cbor(
    new Map<number, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]),
  );
}

type Cbor = string | number | Buffer | Map<string | number, Cbor>;

/** As much of CBOR as an attestation needs: small numbers, texts, bytes and maps. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? cborHead(0, value) : cborHead(1, -1 - value);
  if (typeof value === 'string')
    return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([cborHead(2, value.length), value]);
  const entries = [...value].flatMap(([key, entry]) => [cbor(key), cbor(entry)]);
  return Buffer.concat([cborHead(5, value.size), ...entries]);
}

function cborHead(major: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(major << 5) | size]);
  if (size < 256) return Buffer.from([(major << 5) | 24, size]);
  return Buffer.from([(major << 5) | 25, size >> 8, size & 255]);
}
