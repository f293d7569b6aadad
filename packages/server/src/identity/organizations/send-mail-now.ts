import { MailRejectedError, type Mail } from '../../adapters/mail/port.ts';
import type { App } from '../../app.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { buildMailBody, SERVICE_BRAND } from '../../mail/mail.ts';
import { DomainError } from '../../platform/errors.ts';

export const hasMailServer = ({ config }: App): boolean => config.SMTP_URL !== undefined;

/**
 * Sends a mail synchronously; false where no mail server is configured. 400 where the server permanently refuses the
 * address, 503 where it does not accept the mail now. Call it outside any transaction.
 */
export async function sendMailNow(app: App, mail: Mail): Promise<boolean> {
  if (!hasMailServer(app)) return false;
  try {
    await app.mailer.send({ ...mail, ...buildMailBody(SERVICE_BRAND, mail) });
    return true;
  } catch (error) {
    if (error instanceof MailRejectedError) {
      throw new DomainError(
        'bad_request',
        `The mail server refuses mail to this address (${error.code}): use another address`,
      );
    }
    app.log.warn({ mail: mail.id, err: error }, 'e-mail delivery failed');
    throw new DomainError(
      'unavailable',
      'The mail server did not accept the mail: repeat the request to send it',
      MINUTE / SECOND,
    );
  }
}
