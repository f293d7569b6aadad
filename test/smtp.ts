import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail as a server took it: its envelope, and the whole message with its headers. */
export interface TakenMail {
  readonly to: readonly string[];
  readonly raw: string;
}

export interface SmtpStandIn {
  readonly url: string;
  readonly taken: TakenMail[];
  /** What the next recipients are answered with, one each: a code, or undefined to take it. */
  readonly answers: (number | undefined)[];
  close(): Promise<void>;
}

/** A real SMTP server that keeps what it is given; with a password, if one is asked for. */
export async function openSmtp(password?: string): Promise<SmtpStandIn> {
  const taken: TakenMail[] = [];
  const answers: (number | undefined)[] = [];
  const server = new SMTPServer({
    disabledCommands: password === undefined ? ['AUTH', 'STARTTLS'] : ['STARTTLS'],
    authOptional: password === undefined,
    allowInsecureAuth: true,
    // Nobody asks a name server who 127.0.0.1 is.
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
    taken,
    answers,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
