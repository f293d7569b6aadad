import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** A certificate with its key, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** An authority that signs certificates for tests. */
export interface Authority extends Certificate {
  /** A certificate for whoever is called so; a name with a dot or `localhost` is a host. */
  issue(name: string): Certificate;
}

/** An authority of its own: nobody trusts it who is not given its certificate. */
export function openAuthority(name: string): Authority {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issued = (subject: string, keys: typeof own, extensions: Buffer) => ({
    cert: certificate({ subject, issuer: name, publicKey: keys.publicKey, extensions }, own.privateKey),
    key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  });
  return {
    ...issued(name, own, extension(BASIC_CONSTRAINTS, sequence(Buffer.from([0x01, 0x01, 0xff])))),
    issue: (subject) =>
      issued(subject, generateKeyPairSync('ec', { namedCurve: 'P-256' }), alternativeName(subject)),
  };
}

// As little of DER and X.509 (RFC 5280) as two ends of a TLS connection need.

const der = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const text = (tag: number, said: string) => der(tag, Buffer.from(said));

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));
const COMMON_NAME = oid('550403');
const BASIC_CONSTRAINTS = oid('551d13');
const ALTERNATIVE_NAME = oid('551d11');

const nameOf = (name: string) => sequence(der(0x31, sequence(COMMON_NAME, text(0x0c, name))));
const extension = (which: Buffer, value: Buffer) => sequence(which, der(0x04, value));
/** A DNS name. */
const alternativeName = (name: string) => extension(ALTERNATIVE_NAME, sequence(text(0x82, name)));

interface Told {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly extensions: Buffer;
}

let serials = 0;

function certificate({ subject, issuer, publicKey, extensions }: Told, authority: KeyObject): string {
  const told = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([(serials += 1)])),
    ECDSA_WITH_SHA256,
    nameOf(issuer),
    sequence(text(0x17, '200101000000Z'), text(0x17, '491231000000Z')),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extensions)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', told, authority));
  const lines =
    sequence(told, ECDSA_WITH_SHA256, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
