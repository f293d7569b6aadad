import { createServer, type AddressInfo, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSmtp, type SmtpStandIn } from '../../../test/smtp.ts';
import { openLog } from '../../platform/log.ts';
import { loggedMailer } from './logged.ts';
import { MailFailed, MailRefused, type Mail, type Mailer } from './port.ts';
import { smtpMailer } from './smtp.ts';

let smtp: SmtpStandIn;
beforeAll(async () => {
  smtp = await openSmtp();
});
afterAll(() => smtp.close());

const mail: Mail = {
  id: 'abc-1',
  to: 'on-call@clinic.example',
  subject: 'Critical — Ünïcode',
  text: 'First line.\nPérez, 5 µg/dL\n.\nafter a lone dot',
};
const FROM = 'Aliquot <no-reply@lab.example>';
const real = (url = smtp.url) => smtpMailer({ url, from: FROM });

/** What every body of the port must keep to. */
const bodies: [string, () => Mailer][] = [
  ['the mailer that logs', () => loggedMailer(openLog('silent'))],
  ['the SMTP mailer', real],
];

describe.each(bodies)('%s', (_name, open) => {
  it('takes a mail, with HTML and without, and the same one twice', async () => {
    for (const one of [mail, { ...mail, html: '<p>Hello</p>' }, mail]) {
      await expect(open().send(one)).resolves.toBeUndefined();
    }
  });
});

describe('the mailer that logs', () => {
  it('says that there was a mail, and nothing of what it says or to whom', async () => {
    const lines: string[] = [];
    await loggedMailer(pino({ level: 'info' }, { write: (line: string) => lines.push(line) })).send(mail);
    expect(lines.join()).toContain('abc-1');
    for (const hidden of ['on-call', 'Critical', 'Pérez']) expect(lines.join()).not.toContain(hidden);
  });
});

describe('the SMTP mailer', () => {
  it('sends text as it is, from the sender of the configuration, under a Message-ID of its id', async () => {
    await real().send({ ...mail, html: '<p>Hello</p>' });
    const { to, raw } = smtp.taken.at(-1) ?? { to: [], raw: '' };
    expect(to).toEqual(['on-call@clinic.example']);
    expect(raw).toContain('Message-ID: <abc-1@lab.example>');
    expect(raw).toContain('From: Aliquot <no-reply@lab.example>');
    expect(raw).toMatch(/Subject: =\?UTF-8\?/);
    expect(raw).toContain('Auto-Submitted: auto-generated');
    expect(raw).toContain('multipart/alternative');
    expect(raw).toContain('P=C3=A9rez, 5 =C2=B5g/dL');
    expect(raw).toContain('after a lone dot');
  });

  it('is not led to further recipients or headers by what it is given', async () => {
    const before = smtp.taken.length;
    await real().send({ ...mail, subject: 'One\r\nBcc: thief@example.com' });
    const { to, raw } = smtp.taken.at(-1) ?? { to: [], raw: '' };
    expect(smtp.taken).toHaveLength(before + 1);
    expect(to).toEqual(['on-call@clinic.example']);
    expect(raw).not.toMatch(/^Bcc:/m);
  });

  // prettier-ignore
  it.each([
    [550, MailRefused],
    [553, MailRefused],
    [450, MailFailed],
    [421, MailFailed],
  ])('tells what is refused for good from what may be tried again: %i', async (code, kind) => {
    smtp.answers.push(code);
    const failure = await real().send(mail).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(kind);
    expect(failure).toMatchObject({ code: String(code) });
    expect(String(failure)).not.toContain('on-call');
  });

  it('proves who it is, and a wrong password may be set right', async () => {
    const guarded = await openSmtp('s3cret');
    await real(guarded.url).send(mail);
    expect(guarded.taken).toHaveLength(1);
    await expect(real(guarded.url.replace('s3cret', 'wrong')).send(mail)).rejects.toBeInstanceOf(MailFailed);
    await guarded.close();
    await expect(real(guarded.url).send(mail)).rejects.toBeInstanceOf(MailFailed);
  });

  it('does not wait for a server that says nothing', async () => {
    const sockets: Socket[] = [];
    const mute = createServer((socket) => void sockets.push(socket.on('error', () => {})));
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const { port } = mute.address() as AddressInfo;
    // The only one whose time is to run out.
    const impatient = smtpMailer({ url: `smtp://127.0.0.1:${port}`, from: FROM, patienceMs: 300 });
    await expect(impatient.send(mail)).rejects.toBeInstanceOf(MailFailed);
    for (const socket of sockets) socket.destroy();
    mute.close();
  });
});
