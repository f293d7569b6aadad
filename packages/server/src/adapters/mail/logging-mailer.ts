import type { Log } from '../../platform/log.ts';
import type { Mailer } from './port.ts';

/**
 * The mailer without a mail server: logs the id of each mail. Addresses, subjects and texts are personal data and are
 * not logged.
 */
export const createLoggingMailer = (log: Log): Mailer => ({
  send: async ({ id }) => {
    log.warn({ mail: id }, 'no mail server is configured: the mail was not sent; set SMTP_URL');
  },
  verify: async () => {},
});
