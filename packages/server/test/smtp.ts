import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A received mail: its recipients, and the raw message with headers. */
interface ReceivedMail {
  readonly to: readonly string[];
  readonly raw: string;
}

export interface SmtpStandIn {
  readonly url: string;
  readonly received: ReceivedMail[];
  /** Responses to the next recipients: an error code, or undefined to accept. */
  readonly answers: (number | undefined)[];
  close(): Promise<void>;
}

/** A real SMTP server that stores mails; requires the password if given. */
export async function openSmtpStandIn(password?: string): Promise<SmtpStandIn> {
  const taken: ReceivedMail[] = [];
  const answers: (number | undefined)[] = [];
  const server = new SMTPServer({
    disabledCommands: password === undefined ? ['AUTH', 'STARTTLS'] : ['STARTTLS'],
    authOptional: password === undefined,
    allowInsecureAuth: true,
    // No reverse DNS lookup of 127.0.0.1.
    disableReverseLookup: true,
    onAuth: (auth, _session, done) =>
      auth.password === password ? done(null, { user: auth.username }) : done(new Error('Wrong password')),
    onRcptTo: (_address, _session, done) => {
      const code = answers.shift();
      done(code === undefined ? undefined : Object.assign(new Error('No'), { responseCode: code }));
    },
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        taken.push({ to, raw: Buffer.concat(parts).toString() });
        done();
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as AddressInfo;
  const user = password === undefined ? '' : `mailer:${password}@`;
  return {
    url: `smtp://${user}127.0.0.1:${port}`,
    received: taken,
    answers,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
