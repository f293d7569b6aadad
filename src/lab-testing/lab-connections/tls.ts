import { createPrivateKey, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import type { TlsMaterial } from '../../adapters/lab-network/port.ts';
import type { TenantCipher } from '../../platform/crypto/cipher.ts';

const PEM_LENGTH_MAX = 64 * 1024;
const PLACE = 'lab_connection.tls_material';

const Pem = z.string().trim().min(1).max(PEM_LENGTH_MAX);

const Certificate = Pem.refine(
  (text) => reads(() => new X509Certificate(text)),
  'expected a certificate in PEM',
);
const PrivateKey = Pem.refine(
  (text) => reads(() => createPrivateKey(text)),
  'expected a private key in PEM without a passphrase',
);

/** What a laboratory wants to see of us, and whom we trust besides the usual authorities. */
export const Tls = z
  .object({
    ca: Certificate.nullish().describe('An authority to trust besides those that everybody trusts.'),
    cert: Certificate.nullish().describe('Our certificate, where the laboratory asks for one.'),
    key: PrivateKey.nullish().describe('Its key; never answered.'),
  })
  .refine(({ cert, key }) => (cert == null) === (key == null), 'expected cert and key together')
  .refine(
    ({ cert, key }) => cert == null || key == null || reads(() => requireOwn(cert, key)),
    'expected the key of the certificate',
  );

function requireOwn(cert: string, key: string): void {
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) throw new Error('another key');
}

function reads(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

export const sealTls = (cipher: TenantCipher, tls: z.output<typeof Tls> | null | undefined): Buffer | null =>
  tls ? cipher.seal(JSON.stringify(tls), PLACE) : null;

export function openTls(cipher: TenantCipher, sealed: Buffer | null): TlsMaterial {
  if (!sealed) return {};
  const { ca, cert, key } = Tls.parse(JSON.parse(cipher.open(sealed, PLACE)));
  return { ca: ca ?? undefined, cert: cert ?? undefined, key: key ?? undefined };
}
