import type { Log } from '../../platform/log.ts';
import type { Mailer } from './port.ts';

/**
 * Writes down that there was a mail, where no mail server is connected. By its id alone: addresses, subjects and
 * texts do not belong into a log.
 */
export const loggedMailer = (log: Log): Mailer => ({
  send: async ({ id }) => {
    log.warn({ mail: id }, 'no mail server is connected (SMTP_URL): this e-mail was not sent');
  },
});
