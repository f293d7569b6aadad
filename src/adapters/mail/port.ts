/** One e-mail, ready to be sent. */
export interface Mail {
  /** Makes the Message-ID: letters, digits, dots, dashes. The same id twice is the same mail to whoever receives it. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string | undefined;
}

/** Who carries e-mail. Any failure may be tried again, but for a `MailRefused`. */
export interface Mailer {
  /** Comes back when a mail server has taken the mail. Sending the same id again changes nothing but the risk of a copy. */
  send(mail: Mail): Promise<void>;
}

/** The mail server will never take this mail: there is no such address, or it is too large. */
export class MailRefused extends Error {
  /** As the server says it, `550`; never an address. */
  readonly code: string;

  constructor(code: string) {
    super(`The mail server refuses the mail for good: ${code}`);
    this.name = 'MailRefused';
    this.code = code;
  }
}

/** What may be known of a failure to send: a code of the server or of the connection, and nothing of the mail. */
export class MailFailed extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`The mail was not taken: ${code}`);
    this.name = 'MailFailed';
    this.code = code;
  }
}
