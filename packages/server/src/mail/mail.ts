import { createHash } from 'node:crypto';
import { z } from 'zod';
import { MailDeliveryError, MailRejectedError } from '../adapters/mail/port.ts';
import { inTenant, type App } from '../app.ts';
import { HOUR, later, MINUTE } from '../platform/clock.ts';
import { defineJob, type AnyJob, type Job } from '../platform/jobs/jobs.ts';
import { clearTimer, setTimer } from '../platform/jobs/timers.ts';
import type { Tenant } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import { buildMailBody } from './mail-html.ts';
import * as store from './store.ts';

export { buildMailBody, previewMail, SERVICE_BRAND } from './mail-html.ts';
export { listMailStates } from './store.ts';

const MailMessage = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
});

interface OutgoingMail extends z.output<typeof MailMessage> {
  /** Unique within the tenant, as `critical-result/0190.../opened`. Only one mail is ever sent per key. */
  readonly key: string;
}

/**
 * Enqueues an e-mail in this transaction; a second mail with the same key is ignored. The HTML part shows the text with
 * the brand of the team as it is at delivery. The content is sealed, and deleted after delivery. Delivery is attempted for about two days, at least once: if the server's confirmation is
 * lost, the mail is sent again under the same Message-ID.
 */
export async function sendMail(work: Work, { key, ...mail }: OutgoingMail): Promise<void> {
  if (await store.insertMail(work, key, MailMessage.parse(mail))) await scheduleAttempt(work, key, work.now);
}

const scheduleAttempt = (work: Work, key: string, dueAt: Date) =>
  setTimer(work, deliverMail, { key, dueAt, input: { key } });

/** The delay after each attempt; each is longer than an attempt can take. */
const RETRY_DELAYS_MS = [1, 5, 30]
  .map((minutes) => minutes * MINUTE)
  .concat([2, 5, 10, 10, 20].map((h) => h * HOUR));

const DeliverMailInput = z.object({ key: z.string() });

/** Delivers a mail. The next attempt is scheduled before this one begins, so a killed process loses no mail. */
export const deliverMail: Job<App, z.output<typeof DeliverMailInput>> = defineJob({
  name: 'mail.carry',
  input: DeliverMailInput,
  async run(app, tenant, { key }) {
    const { readMailBrand } = app;
    const leased = await inTenant(app, tenant, async (work) => {
      const mail = await lease(work, key);
      return mail && { ...mail, brand: await readMailBrand(work) };
    });
    if (!leased) return;
    const id = createHash('sha256').update(`${tenant.teamId}/${tenant.environment}/${key}`).digest('hex');
    try {
      const mail = MailMessage.parse(leased.message);
      await app.mailer.send({ id: id.slice(0, 40), ...mail, ...buildMailBody(leased.brand, mail) });
    } catch (error) {
      await handleFailure(app, tenant, { key, attempt: leased.attempt, error });
      return;
    }
    await inTenant(app, tenant, (work) => settle(work, key, { status: 'sent' }));
  },
});

export const mailJobs: readonly AnyJob<App>[] = [deliverMail];

async function lease(work: Work, key: string): Promise<store.LeasedMail | undefined> {
  const leased = await store.leaseMail(work, key, later(work.now, MINUTE));
  if (!leased) return undefined;
  // If this process dies now, the next attempt still takes place.
  await scheduleAttempt(work, key, later(work.now, RETRY_DELAYS_MS[leased.attempt - 1] ?? MINUTE));
  return leased;
}

interface FailedDelivery {
  readonly key: string;
  readonly attempt: number;
  readonly error: unknown;
}

async function handleFailure(
  app: App,
  tenant: Tenant,
  { key, attempt, error }: FailedDelivery,
): Promise<void> {
  const failure =
    error instanceof MailRejectedError || error instanceof MailDeliveryError ? error.code : 'unknown';
  const wait = error instanceof MailRejectedError ? undefined : RETRY_DELAYS_MS[attempt - 1];
  app.log.warn({ mail: key, attempt, failure, is_over: wait === undefined }, 'e-mail delivery failed');
  await inTenant(app, tenant, async (work) => {
    if (wait === undefined) return settle(work, key, { status: 'failed', failure });
    const until = later(work.now, wait);
    await store.delayMail(work, key, { until, failure });
    await scheduleAttempt(work, key, until);
  });
}

async function settle(work: Work, key: string, end: Parameters<typeof store.settleMail>[2]): Promise<void> {
  await store.settleMail(work, key, end);
  await clearTimer(work, deliverMail, key);
}
