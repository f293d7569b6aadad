/** One e-mail, ready to be sent. */
export interface Mail {
  /** Becomes the Message-ID: letters, digits, dots, dashes. Receiving servers treat the same id as the same mail. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string | undefined;
  /** Images that the HTML shows as `cid:` URLs. */
  readonly images?: readonly MailImage[] | undefined;
}

export interface MailImage {
  /** Letters and digits. */
  readonly cid: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** Sends email. Every failure except MailRejectedError can be retried. */
export interface Mailer {
  /** Resolves when a mail server accepted the mail. Sending the same id again is safe, but can deliver a copy. */
  send(mail: Mail): Promise<void>;
  /** Connects and signs in without sending. Rejects with a MailDeliveryError where a mail could not be sent now. */
  verify(): Promise<void>;
}

/** A permanent failure: the address does not exist, or the mail is too large. */
export class MailRejectedError extends Error {
  /** The server's reply code, for example `550`; never an address. */
  readonly code: string;

  constructor(code: string) {
    super(`The mail server permanently rejected the mail: ${code}`);
    this.name = 'MailRejectedError';
    this.code = code;
  }
}

/** A temporary failure. Holds only a code of the server or the connection, nothing from the mail. */
export class MailDeliveryError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`The mail server did not accept the mail: ${code}`);
    this.name = 'MailDeliveryError';
    this.code = code;
  }
}
