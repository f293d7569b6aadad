import { createServer, type AddressInfo, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSmtpStandIn, type SmtpStandIn } from '../../../test/smtp.ts';
import { openLog } from '../../platform/log.ts';
import { createLoggingMailer } from './logging-mailer.ts';
import { MailDeliveryError, MailRejectedError, type Mail, type Mailer } from './port.ts';
import { createSmtpMailer } from './smtp.ts';

let smtp: SmtpStandIn;
beforeAll(async () => {
  smtp = await openSmtpStandIn();
});
afterAll(() => smtp.close());

const mail: Mail = {
  id: 'abc-1',
  to: 'on-call@clinic.example',
  subject: 'Critical — Ünïcode',
  text: 'First line.\nPérez, 5 µg/dL\n.\nafter a lone dot',
};
const FROM = 'Aliquot <no-reply@lab.example>';
const real = (url = smtp.url) => createSmtpMailer({ url, from: FROM });

/** The contract of every implementation of the port. */
const bodies: [string, () => Mailer][] = [
  ['the mailer that logs', () => createLoggingMailer(openLog('silent'))],
  ['the SMTP mailer', real],
];

describe.each(bodies)('%s', (_name, open) => {
  it('accepts a mail with and without HTML, and the same one twice', async () => {
    for (const one of [mail, { ...mail, html: '<p>Hello</p>' }, mail]) {
      await expect(open().send(one)).resolves.toBeUndefined();
    }
  });
});

describe('a look at the mail server', () => {
  it('signs in without sending, and rejects with the code of a refusal', async () => {
    const guarded = await openSmtpStandIn('right');
    try {
      await expect(real(guarded.url).verify()).resolves.toBeUndefined();
      await expect(real(guarded.url.replace('right', 'wrong')).verify()).rejects.toMatchObject({
        name: 'MailDeliveryError',
        code: '535',
      });
      expect(guarded.received).toEqual([]);
    } finally {
      await guarded.close();
    }
    await expect(real(guarded.url).verify()).rejects.toBeInstanceOf(MailDeliveryError);
  });
});

describe('the logging mailer', () => {
  it('logs the id of a mail and no personal data', async () => {
    const lines: string[] = [];
    await createLoggingMailer(pino({ level: 'info' }, { write: (line: string) => lines.push(line) })).send(
      mail,
    );
    expect(lines.join()).toContain('abc-1');
    for (const hidden of ['on-call', 'Critical', 'Pérez']) expect(lines.join()).not.toContain(hidden);
  });
});

describe('the SMTP mailer', () => {
  it('sends the text unchanged, from the configured sender, with a Message-ID from its id', async () => {
    await real().send({ ...mail, html: '<p>Hello</p>' });
    const { to, raw } = smtp.received.at(-1) ?? { to: [], raw: '' };
    expect(to).toEqual(['on-call@clinic.example']);
    expect(raw).toContain('Message-ID: <abc-1@lab.example>');
    expect(raw).toContain('From: Aliquot <no-reply@lab.example>');
    expect(raw).toMatch(/Subject: =\?UTF-8\?/);
    expect(raw).toContain('Auto-Submitted: auto-generated');
    expect(raw).toContain('multipart/alternative');
    expect(raw).toContain('P=C3=A9rez, 5 =C2=B5g/dL');
    expect(raw).toContain('after a lone dot');
  });

  it('prevents injection of recipients and headers', async () => {
    const before = smtp.received.length;
    await real().send({ ...mail, subject: 'One\r\nBcc: thief@example.com' });
    const { to, raw } = smtp.received.at(-1) ?? { to: [], raw: '' };
    expect(smtp.received).toHaveLength(before + 1);
    expect(to).toEqual(['on-call@clinic.example']);
    expect(raw).not.toMatch(/^Bcc:/m);
  });

  // prettier-ignore
  it.each([
    [550, MailRejectedError],
    [553, MailRejectedError],
    [450, MailDeliveryError],
    [421, MailDeliveryError],
  ])('tells what is refused for good from what may be tried again: %i', async (code, kind) => {
    smtp.answers.push(code);
    const failure = await real().send(mail).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(kind);
    expect(failure).toMatchObject({ code: String(code) });
    expect(String(failure)).not.toContain('on-call');
  });

  it('authenticates, and treats a wrong password as temporary', async () => {
    const guarded = await openSmtpStandIn('s3cret');
    await real(guarded.url).send(mail);
    expect(guarded.received).toHaveLength(1);
    await expect(real(guarded.url.replace('s3cret', 'wrong')).send(mail)).rejects.toBeInstanceOf(
      MailDeliveryError,
    );
    await guarded.close();
    await expect(real(guarded.url).send(mail)).rejects.toBeInstanceOf(MailDeliveryError);
  });

  it('times out if the server does not respond', async () => {
    const sockets: Socket[] = [];
    const mute = createServer((socket) => void sockets.push(socket.on('error', () => {})));
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const { port } = mute.address() as AddressInfo;
    // The only one whose time is to run out.
    const impatient = createSmtpMailer({ url: `smtp://127.0.0.1:${port}`, from: FROM, timeoutMs: 300 });
    await expect(impatient.send(mail)).rejects.toBeInstanceOf(MailDeliveryError);
    for (const socket of sockets) socket.destroy();
    mute.close();
  });
});
