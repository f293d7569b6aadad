import { createPrivateKey, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import type { TlsMaterial } from '../../adapters/lab-network/port.ts';
import type { TenantCipher } from '../../platform/crypto/cipher.ts';

const PEM_LENGTH_MAX = 64 * 1024;
const TLS_SEAL_CONTEXT = 'lab_connection.tls_material';

const Pem = z.string().trim().min(1).max(PEM_LENGTH_MAX);

const Certificate = Pem.refine(
  (text) => isReadable(() => new X509Certificate(text)),
  'expected a certificate in PEM',
);
const PrivateKey = Pem.refine(
  (text) => isReadable(() => createPrivateKey(text)),
  'expected a private key in PEM without a passphrase',
);

/** Our client certificate and additionally trusted authorities. */
export const TlsSettings = z
  .object({
    ca: Certificate.nullish().describe('PEM. Additional trusted certificate authority.'),
    cert: Certificate.nullish().describe('PEM. Client certificate, if the laboratory requires one.'),
    key: PrivateKey.nullish().describe('PEM, without a passphrase. Private key of `cert`. Write-only.'),
  })
  .refine(({ cert, key }) => (cert == null) === (key == null), 'expected cert and key together')
  .refine(
    ({ cert, key }) => cert == null || key == null || isReadable(() => requireMatchingKey(cert, key)),
    'expected the private key of the certificate',
  );

function requireMatchingKey(cert: string, key: string): void {
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) throw new Error('another key');
}

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

export const sealTls = (
  cipher: TenantCipher,
  tls: z.output<typeof TlsSettings> | null | undefined,
): Buffer | null => (tls ? cipher.seal(JSON.stringify(tls), TLS_SEAL_CONTEXT) : null);

export function openTls(cipher: TenantCipher, sealed: Buffer | null): TlsMaterial {
  if (!sealed) return {};
  const { ca, cert, key } = TlsSettings.parse(JSON.parse(cipher.open(sealed, TLS_SEAL_CONTEXT)));
  return { ca: ca ?? undefined, cert: cert ?? undefined, key: key ?? undefined };
}
