import type { Config } from '../../platform/config.ts';
import type { Log } from '../../platform/log.ts';
import { createLoggingMailer } from './logging-mailer.ts';
import type { Mailer } from './port.ts';
import { createSmtpMailer } from './smtp.ts';

/** Uses the configured mail server; without one, only logs that a mail was not sent. */
export const createMailer = ({ SMTP_URL: url, MAIL_FROM: from }: Config, log: Log): Mailer =>
  url === undefined || from === undefined ? createLoggingMailer(log) : createSmtpMailer({ url, from });
