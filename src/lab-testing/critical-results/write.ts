import { sendMail } from '../../mail/mail.ts';
import { teamSettings } from '../../management/management.ts';
import type { Work } from '../../platform/work.ts';
import { emailKey, type EmailReason } from './record.ts';

interface Told {
  readonly id: string;
  readonly orderId: string;
  readonly detectedAt: Date;
  readonly dueAt: Date;
}

/**
 * Writes to the address that the team has set for it; nothing where it has set none. The e-mail names neither the
 * patient nor a value nor a test: on its way it is often not encrypted, it is kept in mailboxes for years, and it is
 * forwarded. Who has the key reads the rest.
 */
export async function writeOf(work: Work, reason: EmailReason, told: Told): Promise<void> {
  const { critical_result_notification_email: to } = await teamSettings(work);
  if (to === null) return;
  const place = work.tenant.environment === 'sandbox' ? '[sandbox] ' : '';
  await sendMail(work, {
    key: emailKey(told.id, reason),
    to,
    subject: `${place}${SUBJECTS[reason]}`,
    text: [BEGINNINGS[reason], factsOf(told), HOW(told.id), WHY].join('\n\n'),
  });
}

const SUBJECTS: Readonly<Record<EmailReason, string>> = {
  opened: 'Critical laboratory result: somebody has to be told',
  escalated: 'ESCALATED: critical laboratory result is not acknowledged',
};

const BEGINNINGS: Readonly<Record<EmailReason, string>> = {
  opened:
    'A laboratory has reported a critical result for one of your orders. Somebody who is responsible for the patient has to be told at once.',
  escalated:
    'The deadline of a critical laboratory result has passed, and nobody has read it back. Somebody who is responsible for the patient has to be told now.',
};

const written = (moment: Date) => `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const factsOf = ({ id, orderId, detectedAt, dueAt }: Told): string =>
  [
    `Critical result:  ${id}`,
    `Order:            ${orderId}`,
    `Came in:          ${written(detectedAt)}`,
    `To be read back:  until ${written(dueAt)}`,
  ].join('\n');

const HOW = (id: string): string =>
  [
    'Read what it says, and write down who was told and whether they read it back:',
    `  GET  /v3/critical_result/${id}`,
    `  POST /v3/critical_result/${id}/notification`,
    `  POST /v3/critical_result/${id}/read_back`,
  ].join('\n');

const WHY = 'This e-mail names no patient and no value on purpose: e-mail is not a safe place for either.';
