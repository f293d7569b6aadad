/**
 * The certificate of the HTTP server. The files are read again every few seconds, by their names: it does not matter
 * whether they are overwritten, replaced, or reached by a symlink that is swapped. A pair that does not fit, as while one
 * of two files is replaced, is logged, and the pair before it stays in use.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';

const RELOAD_INTERVAL_MS = 5000;

/** Forward secrecy and authenticated encryption only; the first three are those of TLS 1.3. */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
  readonly minVersion: Config['TLS_MIN_VERSION'];
}

/** The files of the configuration; undefined without TLS. */
export const certificateFilesOf = (config: Config): CertificateFiles | undefined =>
  config.TLS_CERT_FILE === undefined || config.TLS_KEY_FILE === undefined
    ? undefined
    : { certFile: config.TLS_CERT_FILE, keyFile: config.TLS_KEY_FILE, minVersion: config.TLS_MIN_VERSION };

interface PemPair {
  readonly cert: string;
  readonly key: string;
}

/** Reads a pair and checks that it can be served. Throws an error that names the file and what was expected. */
export function readCertificate({ certFile, keyFile, minVersion }: CertificateFiles): SecureContextOptions {
  const [cert, key] = [readPem('TLS_CERT_FILE', certFile), readPem('TLS_KEY_FILE', keyFile)];
  requireMatch({ cert, key }, { certFile, keyFile });
  const options = { cert, key, minVersion, ciphers: CIPHERS, honorCipherOrder: true };
  createSecureContext(options);
  return options;
}

function readPem(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${setting} ${file}: cannot be read`, { cause: error });
  }
}

function requireMatch({ cert, key }: PemPair, { certFile, keyFile }: Omit<CertificateFiles, 'minVersion'>) {
  const parse = <T>(setting: string, read: () => T, expected: string): T => {
    try {
      return read();
    } catch (error) {
      throw new Error(`${setting}: expected ${expected}`, { cause: error });
    }
  };
  const certificate = parse(
    `TLS_CERT_FILE ${certFile}`,
    () => new X509Certificate(cert),
    'a certificate in PEM',
  );
  const privateKey = parse(
    `TLS_KEY_FILE ${keyFile}`,
    () => createPrivateKey(key),
    'a private key in PEM without a passphrase',
  );
  if (certificate.checkPrivateKey(privateKey)) return;
  throw new Error(`TLS_KEY_FILE ${keyFile}: expected the private key of the certificate in ${certFile}`);
}

/** What can take another certificate while it serves. */
interface SecureServer {
  setSecureContext(options: SecureContextOptions): void;
}

interface CertificateReloader {
  /** Reads the files now, and serves them if they are another pair that fits. */
  reload(): void;
  stop(): void;
}

/** Keeps the certificate of a server the one in the files. Connections that are open keep theirs. */
export function startCertificateReloader(
  server: SecureServer,
  files: CertificateFiles,
  { log, served }: { log: Log; served: SecureContextOptions },
): CertificateReloader {
  let current = served;
  let problem: string | undefined;
  const reload = () => {
    try {
      const next = readCertificate(files);
      problem = undefined;
      if (next.cert === current.cert && next.key === current.key) return;
      server.setSecureContext(next);
      current = next;
      log.info({ file: files.certFile }, 'the TLS certificate was replaced');
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      // Once for each problem, not every five seconds.
      if (message !== problem) log.warn({ err: error }, `the TLS certificate was not replaced: ${message}`);
      problem = message;
    }
  };
  const timer = setInterval(reload, RELOAD_INTERVAL_MS);
  timer.unref();
  return { reload, stop: () => clearInterval(timer) };
}
