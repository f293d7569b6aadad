import type { createTransport } from 'nodemailer';
import { MailDeliveryError, MailRejectedError, type Mail, type Mailer } from './port.ts';

interface SmtpMailerOptions {
  /** `smtp://user:password@host:587`, or `smtps://` for TLS from the first byte. */
  readonly url: string;
  /** `Name <address>` or an address. */
  readonly from: string;
  /** Timeout of each server response. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 15_000;
/** Upper bound for one attempt, however slow the server is. */
const ATTEMPT_MAX_MS = 50_000;

/** Sends over SMTP with one connection per mail, because mails are few. */
export function createSmtpMailer({ url, from, timeoutMs = TIMEOUT_MS }: SmtpMailerOptions): Mailer {
  const domain = getSenderDomain(from);
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  const withTransport = async (use: (transport: Transport) => Promise<unknown>): Promise<void> => {
    // Loaded with the first mail: it is large, and many processes send none.
    const nodemailer = await import('nodemailer');
    const transport = nodemailer.createTransport({
      url,
      ...timeouts,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    try {
      await withTimeout(use(transport));
    } catch (error) {
      throw toMailError(error);
    } finally {
      transport.close();
    }
  };
  return {
    send: (mail) => withTransport((transport) => transport.sendMail(toSmtpMessage(mail, { from, domain }))),
    verify: () => withTransport((transport) => transport.verify()),
  };
}

type Transport = ReturnType<typeof createTransport>;

const toSmtpMessage = (mail: Mail, { from, domain }: { from: string; domain: string }) => ({
  from,
  to: mail.to,
  subject: mail.subject,
  text: mail.text,
  ...(mail.html === undefined ? {} : { html: mail.html }),
  attachments: (mail.images ?? []).map(({ cid, mediaType, bytes }) => ({
    cid,
    filename: `${cid}.${mediaType.slice('image/'.length)}`,
    content: bytes,
    contentType: mediaType,
    contentDisposition: 'inline' as const,
  })),
  messageId: `<${mail.id}@${domain}>`,
  // Suppresses automatic replies (RFC 3834).
  headers: { 'Auto-Submitted': 'auto-generated' },
});

async function withTimeout<T>(sending: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new MailDeliveryError('ETIMEDOUT')), ATTEMPT_MAX_MS);
    timer.unref();
  });
  try {
    return await Promise.race([sending, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}

/** Permanent (5xx) responses about the address or the mail are final; all other failures can be retried. */
function toMailError(error: unknown): MailDeliveryError | MailRejectedError {
  if (error instanceof MailDeliveryError) return error;
  const { code, responseCode } = readErrorCodes(error);
  const isAboutTheMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  if (isAboutTheMail && (responseCode === undefined || responseCode >= 500)) {
    return new MailRejectedError(String(responseCode ?? code));
  }
  return new MailDeliveryError(String(responseCode ?? code ?? 'unknown'));
}

function readErrorCodes(error: unknown): { code: string | undefined; responseCode: number | undefined } {
  if (typeof error !== 'object' || error === null) return { code: undefined, responseCode: undefined };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const responseCode =
    'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : undefined;
  return { code, responseCode };
}

/** The domain of the sender's address, used in Message-IDs. */
const getSenderDomain = (from: string): string => /@([^\s<>@]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
