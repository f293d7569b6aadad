import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../test/service.ts';
import { pngLogo } from '../../test/logos.ts';
import { openSmtpStandIn, type SmtpStandIn } from '../../test/smtp.ts';
import { inTenant } from '../app.ts';
import { DAY, HOUR, later, MINUTE } from '../platform/clock.ts';
import { fireTimers } from '../platform/jobs/timers.ts';
import { deliverMail, listMailStates, sendMail } from './mail.ts';

let service: TestService;
let smtp: SmtpStandIn;
let team: TestTeam;
beforeAll(async () => {
  smtp = await openSmtpStandIn();
  service = await openTestService({ SMTP_URL: smtp.url, MAIL_FROM: 'no-reply@lab.example' });
  team = await service.team();
});
afterAll(async () => {
  await service.close();
  await smtp.close();
});
beforeEach(() => {
  smtp.received.length = 0;
  smtp.answers.length = 0;
});

const send = (key: string, text = 'Come and see.') =>
  inTenant(service.app, team.tenant, (work) =>
    sendMail(work, { key, to: 'somebody@example.com', subject: 'Hello', text }),
  );
const stateOf = async (key: string) =>
  (await inTenant(service.app, team.tenant, (work) => listMailStates(work, [key])))[0];
const waitFor = async (milliseconds: number) => {
  service.clock.move(milliseconds);
  await service.settle();
};

describe('an e-mail', () => {
  it('is sent when its transaction is committed, once per key', async () => {
    const key = randomUUID();
    await Promise.all([send(key), send(key), send(key)]);
    await service.settle();
    await send(key, 'Something else');
    await waitFor(3 * DAY);
    expect(smtp.received).toHaveLength(1);
    expect(smtp.received[0]?.raw).toContain('Come and see.');
    expect(await stateOf(key)).toMatchObject({ status: 'sent', attempts: 1 });
  });

  it('is sent even if the clock of the sender is behind the clock of the writer', async () => {
    const key = randomUUID();
    const ahead = { ...service.app, clock: { now: () => later(service.clock.now(), 100) } };
    await inTenant(ahead, team.tenant, (work) =>
      sendMail(work, { key, to: 'somebody@example.com', subject: 'Hello', text: 'Come and see.' }),
    );
    await fireTimers(ahead);
    await service.settle();
    expect(await stateOf(key)).toMatchObject({ status: 'sent', attempts: 1 });
  });

  it('is not sent when its transaction is rolled back', async () => {
    const undone = inTenant(service.app, team.tenant, async (work) => {
      await sendMail(work, { key: 'undone', to: 'a@example.com', subject: 'Hello', text: 'No.' });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await waitFor(MINUTE);
    expect([smtp.received, await stateOf('undone')]).toEqual([[], undefined]);
  });

  it('is retried with growing delays, under the same Message-ID', async () => {
    const key = randomUUID();
    smtp.answers.push(450, 421);
    await send(key);
    await service.settle();
    expect(await stateOf(key)).toMatchObject({ status: 'waiting', attempts: 1 });
    await waitFor(MINUTE);
    await waitFor(2 * MINUTE);
    expect(await stateOf(key)).toMatchObject({ status: 'waiting', attempts: 2 });
    await waitFor(3 * MINUTE);
    expect(await stateOf(key)).toMatchObject({ status: 'sent', attempts: 3 });
    expect(smtp.received).toHaveLength(1);
  });

  it('fails immediately on a permanent refusal, and after two days otherwise', async () => {
    const [refused, unlucky] = [randomUUID(), randomUUID()];
    smtp.answers.push(550);
    await send(refused);
    await service.settle();
    expect(await stateOf(refused)).toMatchObject({ status: 'failed', attempts: 1 });
    smtp.answers.push(...Array<number>(20).fill(450));
    await send(unlucky);
    for (let hours = 0; hours < 60; hours += 1) await waitFor(HOUR);
    expect(await stateOf(unlucky)).toMatchObject({ status: 'failed', attempts: 9 });
    expect(smtp.received).toEqual([]);
  });

  it('is not sent twice by concurrent workers', async () => {
    const key = randomUUID();
    await send(key);
    await Promise.all([1, 2, 3].map(() => deliverMail.run(service.app, team.tenant, { key })));
    await service.settle();
    expect(smtp.received).toHaveLength(1);
  });

  it('shows the brand of its team beside the whole text, with the logo inside and everything escaped', async () => {
    const branded = await service.team();
    await branded.management.patch(`/v1/org/${branded.orgId}/team/${branded.tenant.teamId}`, {
      sandbox: {
        brand_information: {
          company_name: 'Ada <b> & Co',
          brand_color: '#0a6e5a',
          support_email: 'help@ada.example',
        },
      },
    });
    const upload = { 'x-service-api-key': branded.key, 'content-type': 'image/png' };
    await service.http.server.inject({
      method: 'POST',
      url: '/v1/brand/logo',
      headers: upload,
      payload: pngLogo(),
    });
    const text = 'Hello <script>alert(1)</script>.\n\nOrder:  42\n\nhttps://lab.example/x?a=1&b="2';
    await inTenant(service.app, branded.tenant, (work) =>
      sendMail(work, { key: 'branded', to: 'somebody@example.com', subject: 'Results "A" & <B>', text }),
    );
    await service.settle();
    const raw = decodeQuoted(smtp.received[0]?.raw ?? '');
    expect(raw).toMatch(/multipart\/alternative[\s\S]*text\/plain[\s\S]*multipart\/related[\s\S]*text\/html/);
    expect(raw).toContain('Hello <script>alert(1)</script>.');
    const html = raw.slice(raw.indexOf('<!doctype html>'), raw.indexOf('</html>'));
    expect(html).toContain('Ada &lt;b&gt; &amp; Co');
    expect(html).toContain('background:#0a6e5a');
    expect(html).toContain('Hello &lt;script&gt;');
    expect(html).toContain('href="https://lab.example/x?a=1&amp;b=&quot;2"');
    expect(html).toContain('help@ada.example');
    expect(html).toContain('src="cid:brandlogo"');
    expect(html).not.toContain('<script');
    expect(html).not.toMatch(/(?:src|href)="http:\/\//);
    expect(raw).toContain('Content-ID: <brandlogo>');
    expect(raw.replaceAll(/\s/g, '')).toContain(pngLogo().toString('base64').slice(0, 60));
  });

  it('leaves neither address nor text behind', async () => {
    const key = randomUUID();
    await send(key);
    await service.settle();
    const { rows } = await service.ownerPool.query('select * from mail where key = $1', [key]);
    expect(rows).toMatchObject([{ message: null, status: 'sent' }]);
  });

  it('is sent with the next attempt after the process dies', async () => {
    const key = randomUUID();
    await send(key);
    await service.settle();
    // As it stands when the process dies after the lease: waiting, leased, and its timer set.
    await service.ownerPool.query(
      `update mail set status = 'waiting', attempts = 1, message = $2, due_at = $3 where key = $1`,
      [key, await sealed(), new Date(service.clock.now().getTime() + MINUTE)],
    );
    await deliverMail.run(service.app, team.tenant, { key });
    expect(smtp.received).toHaveLength(1);
    service.clock.move(MINUTE);
    await deliverMail.run(service.app, team.tenant, { key });
    expect(smtp.received).toHaveLength(2);
    const ids = smtp.received.map(({ raw }) => /Message-ID: (\S+)/.exec(raw)?.[1]);
    expect(new Set(ids).size).toBe(1);
  });
});

/** Undoes quoted-printable. */
const decodeQuoted = (raw: string): string =>
  raw
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([\dA-F]{2})/g, (_all, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));

const sealed = () =>
  inTenant(service.app, team.tenant, async ({ cipher }) =>
    cipher.seal(JSON.stringify({ to: 'somebody@example.com', subject: 'Hello', text: 'x' }), 'mail.message'),
  );
