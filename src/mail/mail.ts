import { createHash } from 'node:crypto';
import { z } from 'zod';
import { MailFailed, MailRefused } from '../adapters/mail/port.ts';
import { inTenant, type App } from '../app.ts';
import { HOUR, later, MINUTE } from '../platform/clock.ts';
import { defineJob, type AnyJob, type Job } from '../platform/jobs/jobs.ts';
import { clearTimer, setTimer } from '../platform/jobs/timers.ts';
import type { Tenant } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import * as store from './store.ts';

export { listMailStates, type MailState } from './store.ts';

const Message = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string().optional(),
});

export interface MailToSend extends z.output<typeof Message> {
  /** Names the mail within the tenant, as `critical-result/0190.../opened`: of one key one mail is sent, ever. */
  readonly key: string;
}

/**
 * Sends an e-mail when, and only when, this work is committed; a second one of the same key is none. What it says
 * is sealed, and let go when it has gone out. It is tried for some two days, and goes out at least once: where a
 * server took it and we did not hear so, it comes again under the same Message-ID.
 */
export async function sendMail(work: Work, { key, ...mail }: MailToSend): Promise<void> {
  if (await store.insertMail(work, key, Message.parse(mail))) await tryAt(work, key, work.now);
}

const tryAt = (work: Work, key: string, dueAt: Date) =>
  setTimer(work, carryMail, { key, dueAt, input: { key } });

/** How long after an attempt the next one follows; each is longer than an attempt can take. */
const WAITS_MS = [1, 5, 30]
  .map((minutes) => minutes * MINUTE)
  .concat([2, 5, 10, 10, 20].map((h) => h * HOUR));

const Input = z.object({ key: z.string() });

/** Takes a mail to the mail server. The next attempt is set before this one begins, so that none is lost to a kill. */
export const carryMail: Job<App, z.output<typeof Input>> = defineJob({
  name: 'mail.carry',
  input: Input,
  async run(app, tenant, { key }) {
    const leased = await inTenant(app, tenant, (work) => lease(work, key));
    if (!leased) return;
    const id = createHash('sha256').update(`${tenant.teamId}/${tenant.environment}/${key}`).digest('hex');
    try {
      await app.mailer.send({ id: id.slice(0, 40), ...Message.parse(leased.message) });
    } catch (error) {
      await giveBack(app, tenant, { key, attempt: leased.attempt, error });
      return;
    }
    await inTenant(app, tenant, (work) => settle(work, key, { status: 'sent' }));
  },
});

export const mailJobs: readonly AnyJob<App>[] = [carryMail];

async function lease(work: Work, key: string): Promise<store.LeasedMail | undefined> {
  const leased = await store.leaseMail(work, key, later(work.now, MINUTE));
  if (!leased) return undefined;
  // Where this process dies now, the next attempt is due all the same.
  await tryAt(work, key, later(work.now, WAITS_MS[leased.attempt - 1] ?? MINUTE));
  return leased;
}

interface Failed {
  readonly key: string;
  readonly attempt: number;
  readonly error: unknown;
}

async function giveBack(app: App, tenant: Tenant, { key, attempt, error }: Failed): Promise<void> {
  const failure = error instanceof MailRefused || error instanceof MailFailed ? error.code : 'unknown';
  const wait = error instanceof MailRefused ? undefined : WAITS_MS[attempt - 1];
  app.log.warn({ mail: key, attempt, failure, is_over: wait === undefined }, 'e-mail was not taken');
  await inTenant(app, tenant, async (work) => {
    if (wait === undefined) return settle(work, key, { status: 'failed', failure });
    const until = later(work.now, wait);
    await store.delayMail(work, key, { until, failure });
    await tryAt(work, key, until);
  });
}

async function settle(work: Work, key: string, end: Parameters<typeof store.settleMail>[2]): Promise<void> {
  await store.settleMail(work, key, end);
  await clearTimer(work, carryMail, key);
}
