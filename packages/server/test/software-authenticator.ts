import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** A CBOR value as authenticators use it (RFC 8949): integers, texts, bytes and maps. */
type CborValue = number | string | Buffer | ReadonlyMap<number | string, CborValue>;

const UNSIGNED = 0;
const NEGATIVE = 1;
const BYTES = 2;
const TEXT = 3;
const MAP = 5;

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.of((major << 5) | length);
  if (length < 256) return Buffer.of((major << 5) | 24, length);
  return Buffer.of((major << 5) | 25, length >> 8, length & 255);
}

function encodeCbor(value: CborValue): Buffer {
  if (typeof value === 'number') return value < 0 ? head(NEGATIVE, -1 - value) : head(UNSIGNED, value);
  if (typeof value === 'string')
    return Buffer.concat([head(TEXT, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(BYTES, value.length), value]);
  const pairs = [...value].flatMap(([key, inner]) => [encodeCbor(key), encodeCbor(inner)]);
  return Buffer.concat([head(MAP, value.size), ...pairs]);
}

const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest();
const base64url = (bytes: Buffer | string): string => Buffer.from(bytes).toString('base64url');

const USER_PRESENT = 1;
const USER_VERIFIED = 4;
const HAS_CREDENTIAL = 64;

/** How an authenticator or a browser deviates from the truth. */
interface Forgery {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly isVerified?: boolean;
  readonly counter?: number;
  readonly type?: string;
  readonly credentialId?: string;
  readonly userHandle?: string;
}

interface CreationRequest {
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
  readonly challenge: string;
}

interface AssertionRequest {
  readonly rpId: string;
  readonly challenge: string;
}

/** A passkey in software: ES256, attestation `none`, in the real formats of WebAuthn. */
export interface SoftwareAuthenticator {
  readonly credentialId: string;
  create(options: CreationRequest, forgery?: Forgery): object;
  get(options: AssertionRequest, forgery?: Forgery): object;
}

/** With `counts: false` its counter stays 0, as that of passkeys which are synchronized between devices. */
export function openAuthenticator(origin: string, { counts = true } = {}): SoftwareAuthenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32);
  let counter = 0;
  let userHandle = '';
  const clientData = (type: string, challenge: string, forgery: Forgery) =>
    Buffer.from(
      JSON.stringify({
        type: forgery.type ?? type,
        challenge: forgery.challenge ?? challenge,
        origin: forgery.origin ?? origin,
        crossOrigin: false,
      }),
    );
  const authenticatorData = (rpId: string, flags: number, forgery: Forgery) => {
    if (counts) counter += 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(forgery.counter ?? counter);
    const verified = forgery.isVerified === false ? 0 : USER_VERIFIED;
    return Buffer.concat([sha256(forgery.rpId ?? rpId), Buffer.of(flags | USER_PRESENT | verified), count]);
  };
  return {
    credentialId: base64url(id),
    create: ({ rp, user, challenge }, forgery = {}) => {
      userHandle = user.id;
      const client = clientData('webauthn.create', challenge, forgery);
      const data = Buffer.concat([
        authenticatorData(rp.id, HAS_CREDENTIAL, forgery),
        Buffer.alloc(16),
        Buffer.of(0, id.length),
        id,
        encodeCbor(toCoseKey(publicKey)),
      ]);
      const attestation = new Map<string, CborValue>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', data],
      ]);
      return toCredential(base64url(id), {
        clientDataJSON: base64url(client),
        attestationObject: base64url(encodeCbor(attestation)),
        transports: ['internal'],
      });
    },
    get: ({ rpId, challenge }, forgery = {}) => {
      const client = clientData('webauthn.get', challenge, forgery);
      const data = authenticatorData(rpId, 0, forgery);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      return toCredential(forgery.credentialId ?? base64url(id), {
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(signature),
        userHandle: forgery.userHandle ?? userHandle,
      });
    },
  };
}

const toCredential = (id: string, response: object) => ({
  id,
  rawId: id,
  type: 'public-key',
  response,
  clientExtensionResults: {},
});

/** An ES256 key by RFC 9053: kty EC2, alg -7, crv P-256, and the coordinates. */
function toCoseKey(key: KeyObject): Map<number, CborValue> {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return new Map<number, CborValue>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, Buffer.from(x, 'base64url')],
    [-3, Buffer.from(y, 'base64url')],
  ]);
}
