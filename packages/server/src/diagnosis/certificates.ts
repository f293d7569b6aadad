import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { DAY, systemClock } from '../platform/clock.ts';
import { certificateFilesOf, readCertificate } from '../platform/http/tls-certificate.ts';
import { reasonOf, type Check, type Finding } from './finding.ts';

const RENEW_WITHIN_DAYS = 21;

export const certificateChecks: readonly Check[] = [
  {
    subject: 'certificate',
    run: async ({ config }) => {
      const files = certificateFilesOf(config);
      if (!files) {
        const detail = 'without TLS_CERT_FILE the service answers HTTP: a proxy in front must end TLS';
        return [{ subject: 'certificate', state: 'not used', detail }];
      }
      try {
        readCertificate(files);
      } catch (error) {
        const advice =
          'The service does not start with these files. Give it a certificate and its key in PEM.';
        return [{ subject: 'certificate', state: 'problem', detail: reasonOf(error), advice }];
      }
      const certificate = new X509Certificate(await readFile(files.certFile));
      const host = config.PUBLIC_URL === undefined ? undefined : new URL(config.PUBLIC_URL).hostname;
      return [describeCertificate(certificate, { host, now: systemClock.now() })];
    },
  },
  {
    subject: 'MLLP certificate',
    run: async ({ config: { LAB_MLLP_TLS_CERT: file } }) => {
      if (file === undefined) return [];
      const { validTo } = new X509Certificate(await readFile(file));
      const advice = 'Renew LAB_MLLP_TLS_CERT and restart the workers: laboratories refuse an expired one.';
      return [describeEnd('MLLP certificate', { end: new Date(validTo), advice })];
    },
  },
];

interface CertificateEnd {
  readonly end: Date;
  /** What to do before the end. */
  readonly advice: string;
}

/** Whether a certificate has ended or ends soon. */
export function describeEnd(subject: string, { end, advice }: CertificateEnd): Finding {
  const days = Math.floor((end.getTime() - systemClock.now().getTime()) / DAY);
  if (days < 0) return { subject, state: 'problem', detail: `expired at ${end.toISOString()}`, advice };
  if (days < RENEW_WITHIN_DAYS) return { subject, state: 'warning', detail: `ends in ${days} days`, advice };
  return { subject, state: 'ok', detail: `valid for ${days} more days` };
}

interface CertificateUse {
  /** The host of PUBLIC_URL. */
  readonly host: string | undefined;
  readonly now: Date;
}

export function describeCertificate(
  certificate: Pick<X509Certificate, 'validTo' | 'validFrom' | 'checkHost'>,
  { host, now }: CertificateUse,
): Finding {
  const subject = 'certificate';
  const until = new Date(certificate.validTo);
  const days = Math.floor((until.getTime() - now.getTime()) / DAY);
  if (new Date(certificate.validFrom) > now) {
    const detail = `valid only from ${certificate.validFrom}`;
    return {
      subject,
      state: 'problem',
      detail,
      advice: 'Check the clock of this machine, or the certificate.',
    };
  }
  if (days < 0) {
    const detail = `expired at ${certificate.validTo}`;
    return {
      subject,
      state: 'problem',
      detail,
      advice: 'Renew it; the service reads the file again within 5 s.',
    };
  }
  if (host !== undefined && certificate.checkHost(host) === undefined) {
    const detail = `not made for ${host}, the host of PUBLIC_URL`;
    return {
      subject,
      state: 'problem',
      detail,
      advice: 'Get a certificate for that name, or correct PUBLIC_URL.',
    };
  }
  if (days < RENEW_WITHIN_DAYS) {
    const detail = `ends in ${days} days`;
    return { subject, state: 'warning', detail, advice: 'See why it was not renewed yet, and renew it.' };
  }
  return { subject, state: 'ok', detail: `valid for ${days} more days` };
}
