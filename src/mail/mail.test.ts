import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openHouse, type House, type TeamInHand } from '../../test/house.ts';
import { openSmtp, type SmtpStandIn } from '../../test/smtp.ts';
import { inTenant } from '../app.ts';
import { DAY, HOUR, later, MINUTE } from '../platform/clock.ts';
import { fireTimers } from '../platform/jobs/timers.ts';
import { carryMail, listMailStates, sendMail } from './mail.ts';

let house: House;
let smtp: SmtpStandIn;
let team: TeamInHand;
beforeAll(async () => {
  smtp = await openSmtp();
  house = await openHouse({ SMTP_URL: smtp.url, MAIL_FROM: 'no-reply@lab.example' });
  team = await house.team();
});
afterAll(async () => {
  await house.close();
  await smtp.close();
});
beforeEach(() => {
  smtp.taken.length = 0;
  smtp.answers.length = 0;
});

const send = (key: string, text = 'Come and see.') =>
  inTenant(house.app, team.tenant, (work) =>
    sendMail(work, { key, to: 'somebody@example.com', subject: 'Hello', text }),
  );
const stateOf = async (key: string) =>
  (await inTenant(house.app, team.tenant, (work) => listMailStates(work, [key])))[0];
const waitFor = async (milliseconds: number) => {
  house.clock.move(milliseconds);
  await house.settle();
};

describe('an e-mail', () => {
  it('goes out when its work is committed, once for its key', async () => {
    const key = randomUUID();
    await Promise.all([send(key), send(key), send(key)]);
    await house.settle();
    await send(key, 'Something else');
    await waitFor(3 * DAY);
    expect(smtp.taken).toHaveLength(1);
    expect(smtp.taken[0]?.raw).toContain('Come and see.');
    expect(await stateOf(key)).toMatchObject({ status: 'sent', attempts: 1 });
  });

  it('goes out where the clock of whoever carries it is behind the one that wrote it', async () => {
    const key = randomUUID();
    const ahead = { ...house.app, clock: { now: () => later(house.clock.now(), 100) } };
    await inTenant(ahead, team.tenant, (work) =>
      sendMail(work, { key, to: 'somebody@example.com', subject: 'Hello', text: 'Come and see.' }),
    );
    await fireTimers(ahead);
    await house.settle();
    expect(await stateOf(key)).toMatchObject({ status: 'sent', attempts: 1 });
  });

  it('does not go out when its work is undone', async () => {
    const undone = inTenant(house.app, team.tenant, async (work) => {
      await sendMail(work, { key: 'undone', to: 'a@example.com', subject: 'Hello', text: 'No.' });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await waitFor(MINUTE);
    expect([smtp.taken, await stateOf('undone')]).toEqual([[], undefined]);
  });

  it('is tried again, later and later, under the same Message-ID', async () => {
    const key = randomUUID();
    smtp.answers.push(450, 421);
    await send(key);
    await house.settle();
    expect(await stateOf(key)).toMatchObject({ status: 'waiting', attempts: 1 });
    await waitFor(MINUTE);
    await waitFor(2 * MINUTE);
    expect(await stateOf(key)).toMatchObject({ status: 'waiting', attempts: 2 });
    await waitFor(3 * MINUTE);
    expect(await stateOf(key)).toMatchObject({ status: 'sent', attempts: 3 });
    expect(smtp.taken).toHaveLength(1);
  });

  it('is given up at once when the server refuses it for good, and after two days otherwise', async () => {
    const [refused, unlucky] = [randomUUID(), randomUUID()];
    smtp.answers.push(550);
    await send(refused);
    await house.settle();
    expect(await stateOf(refused)).toMatchObject({ status: 'failed', attempts: 1 });
    smtp.answers.push(...Array<number>(20).fill(450));
    await send(unlucky);
    for (let hours = 0; hours < 60; hours += 1) await waitFor(HOUR);
    expect(await stateOf(unlucky)).toMatchObject({ status: 'failed', attempts: 9 });
    expect(smtp.taken).toEqual([]);
  });

  it('is not sent twice by two who are at it at once', async () => {
    const key = randomUUID();
    await send(key);
    await Promise.all([1, 2, 3].map(() => carryMail.run(house.app, team.tenant, { key })));
    await house.settle();
    expect(smtp.taken).toHaveLength(1);
  });

  it('leaves neither address nor text behind', async () => {
    const key = randomUUID();
    await send(key);
    await house.settle();
    const { rows } = await house.owner.query('select * from mail where key = $1', [key]);
    expect(rows).toMatchObject([{ message: null, status: 'sent' }]);
  });

  it('whose carrier dies in mid-way goes out with the next attempt', async () => {
    const key = randomUUID();
    await send(key);
    await house.settle();
    // As it stands when the process dies after the lease: waiting, leased, and its timer set.
    await house.owner.query(
      `update mail set status = 'waiting', attempts = 1, message = $2, due_at = $3 where key = $1`,
      [key, await sealed(), new Date(house.clock.now().getTime() + MINUTE)],
    );
    await carryMail.run(house.app, team.tenant, { key });
    expect(smtp.taken).toHaveLength(1);
    house.clock.move(MINUTE);
    await carryMail.run(house.app, team.tenant, { key });
    expect(smtp.taken).toHaveLength(2);
    const ids = smtp.taken.map(({ raw }) => /Message-ID: (\S+)/.exec(raw)?.[1]);
    expect(new Set(ids).size).toBe(1);
  });
});

const sealed = () =>
  inTenant(house.app, team.tenant, async ({ cipher }) =>
    cipher.seal(JSON.stringify({ to: 'somebody@example.com', subject: 'Hello', text: 'x' }), 'mail.message'),
  );
