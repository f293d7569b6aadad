import type { Config } from '../../platform/config.ts';
import type { Log } from '../../platform/log.ts';
import { loggedMailer } from './logged.ts';
import type { Mailer } from './port.ts';
import { smtpMailer } from './smtp.ts';

/** The mail server of the configuration; without one, mails are logged. */
export const mailerOf = ({ SMTP_URL: url, MAIL_FROM: from }: Config, log: Log): Mailer =>
  url === undefined || from === undefined ? loggedMailer(log) : smtpMailer({ url, from });
