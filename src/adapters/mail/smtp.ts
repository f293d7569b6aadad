import { createTransport } from 'nodemailer';
import { MailFailed, MailRefused, type Mail, type Mailer } from './port.ts';

export interface SmtpSettings {
  /** `smtp://user:password@host:587`, or `smtps://` for TLS from the first byte. */
  readonly url: string;
  /** `Name <address>` or an address. */
  readonly from: string;
  /** How long the server may take for each of its answers. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 15_000;
/** No attempt takes longer than this, however slowly a server talks. */
export const ATTEMPT_MAX_MS = 50_000;

/** Sends by SMTP, one connection a mail: they are few, and each is to be over soon. */
export function smtpMailer({ url, from, patienceMs = PATIENCE_MS }: SmtpSettings): Mailer {
  const domain = domainOf(from);
  const timeouts = { connectionTimeout: patienceMs, greetingTimeout: patienceMs, socketTimeout: patienceMs };
  return {
    async send(mail) {
      const transport = createTransport({
        url,
        ...timeouts,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      try {
        await withinTime(transport.sendMail(messageOf(mail, { from, domain })));
      } catch (error) {
        throw failureOf(error);
      } finally {
        transport.close();
      }
    },
  };
}

const messageOf = (mail: Mail, { from, domain }: { from: string; domain: string }) => ({
  from,
  to: mail.to,
  subject: mail.subject,
  text: mail.text,
  ...(mail.html === undefined ? {} : { html: mail.html }),
  messageId: `<${mail.id}@${domain}>`,
  // Out-of-office answers help nobody here (RFC 3834).
  headers: { 'Auto-Submitted': 'auto-generated' },
});

async function withinTime<T>(sending: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new MailFailed('ETIMEDOUT')), ATTEMPT_MAX_MS);
    timer.unref();
  });
  try {
    return await Promise.race([sending, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}

/** What the server said of an address or of the mail itself does not change by asking again; all else may. */
function failureOf(error: unknown): MailFailed | MailRefused {
  if (error instanceof MailFailed) return error;
  const { code, responseCode } = saidBy(error);
  const isAboutTheMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  if (isAboutTheMail && (responseCode === undefined || responseCode >= 500)) {
    return new MailRefused(String(responseCode ?? code));
  }
  return new MailFailed(String(responseCode ?? code ?? 'unknown'));
}

function saidBy(error: unknown): { code: string | undefined; responseCode: number | undefined } {
  if (typeof error !== 'object' || error === null) return { code: undefined, responseCode: undefined };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const responseCode =
    'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : undefined;
  return { code, responseCode };
}

/** The part of the sender's address behind the @; Message-IDs are made in it. */
const domainOf = (from: string): string => /@([^\s<>@]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
