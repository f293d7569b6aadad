import { MailRefused, type Mail } from '../adapters/mail/port.ts';
import type { App } from '../app.ts';
import { MINUTE, SECOND } from '../platform/clock.ts';
import { DomainError } from '../platform/errors.ts';

const hasMailServer = ({ config }: App): boolean => config.SMTP_URL !== undefined;

/**
 * Gives a mail to the mail server while the caller waits; false where none is connected. 400 where the server refuses
 * the address for good, 503 where it does not take the mail now. Outside any transaction.
 */
export async function carried(app: App, mail: Mail): Promise<boolean> {
  if (!hasMailServer(app)) return false;
  try {
    await app.mailer.send(mail);
    return true;
  } catch (error) {
    if (error instanceof MailRefused) {
      throw new DomainError('bad_request', `The mail server refuses mail to this address (${error.code})`);
    }
    app.log.warn({ mail: mail.id, err: error }, 'e-mail was not taken');
    throw new DomainError(
      'unavailable',
      'The mail server did not take the mail; ask again to have it sent',
      MINUTE / SECOND,
    );
  }
}
