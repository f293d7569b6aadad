import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** A certificate and its private key, in PEM format. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** An authority that signs certificates for tests. */
interface CertificateAuthority extends Certificate {
  /** Issues a certificate for a host name, by default valid for decades. */
  issue(name: string, until?: Date): Certificate;
}

/** A new self-signed certificate authority; only clients with its certificate trust it. */
export function createCertificateAuthority(name: string): CertificateAuthority {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issued = (
    { subject, extensions, until }: Pick<CertificateFields, 'subject' | 'extensions' | 'until'>,
    keys: typeof own,
  ) => ({
    cert: certificate(
      { subject, issuer: name, publicKey: keys.publicKey, extensions, until },
      own.privateKey,
    ),
    key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  });
  return {
    ...issued({ subject: name, extensions: AUTHORITY, until: undefined }, own),
    issue: (subject, until) =>
      issued(
        { subject, extensions: alternativeName(subject), until },
        generateKeyPairSync('ec', { namedCurve: 'P-256' }),
      ),
  };
}

// The minimum of DER and X.509 (RFC 5280) that a TLS connection needs.

const der = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const derText = (tag: number, said: string) => der(tag, Buffer.from(said));

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));
const COMMON_NAME = oid('550403');
const BASIC_CONSTRAINTS = oid('551d13');
const ALTERNATIVE_NAME = oid('551d11');

const distinguishedName = (name: string) => sequence(der(0x31, sequence(COMMON_NAME, derText(0x0c, name))));
const extension = (which: Buffer, value: Buffer) => sequence(which, der(0x04, value));
const AUTHORITY = extension(BASIC_CONSTRAINTS, sequence(Buffer.from([0x01, 0x01, 0xff])));
/** A DNS name. */
const alternativeName = (name: string) => extension(ALTERNATIVE_NAME, sequence(derText(0x82, name)));

interface CertificateFields {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly extensions: Buffer;
  readonly until: Date | undefined;
}

/** `301231000000Z`. */
const toUtcTime = (date: Date): string => `${date.toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`;

let serials = 0;

function certificate(
  { subject, issuer, publicKey, extensions, until }: CertificateFields,
  authority: KeyObject,
): string {
  const told = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([(serials += 1)])),
    ECDSA_WITH_SHA256,
    distinguishedName(issuer),
    sequence(derText(0x17, '200101000000Z'), derText(0x17, until ? toUtcTime(until) : '491231000000Z')),
    distinguishedName(subject),
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
