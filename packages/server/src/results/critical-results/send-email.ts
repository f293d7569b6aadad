import { sendMail } from '../../mail/mail.ts';
import { readTeamSettings } from '../../identity/management/management.ts';
import type { Work } from '../../platform/work.ts';
import { toEmailKey, type EmailReason } from './record.ts';

interface CriticalResultEmailFacts {
  readonly id: string;
  readonly orderId: string;
  readonly detectedAt: Date;
  readonly dueAt: Date;
}

/**
 * Sends an e-mail to the team's notification address, if it is set. The e-mail contains no patient, value or test:
 * e-mail is often unencrypted in transit, is stored in mailboxes for years, and is forwarded. The API returns the
 * details.
 */
export async function sendCriticalResultEmail(
  work: Work,
  reason: EmailReason,
  told: CriticalResultEmailFacts,
): Promise<void> {
  const { critical_result_notification_email: to } = await readTeamSettings(work);
  if (to === null) return;
  const place = work.tenant.environment === 'sandbox' ? '[sandbox] ' : '';
  await sendMail(work, {
    key: toEmailKey(told.id, reason),
    to,
    subject: `${place}${SUBJECTS[reason]}`,
    text: [INTRODUCTIONS[reason], formatFacts(told), formatInstructions(told.id), PRIVACY_NOTE].join('\n\n'),
  });
}

const SUBJECTS: Readonly<Record<EmailReason, string>> = {
  opened: 'Critical laboratory result: notification required',
  escalated: 'ESCALATED: critical laboratory result not acknowledged',
};

const INTRODUCTIONS: Readonly<Record<EmailReason, string>> = {
  opened:
    'A laboratory has reported a critical result for one of your orders. ' +
    'Notify a person who is responsible for the patient immediately.',
  escalated:
    'The deadline of a critical laboratory result has passed without a read-back. ' +
    'Notify a person who is responsible for the patient now.',
};

const formatTimestamp = (moment: Date) => `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const formatFacts = ({ id, orderId, detectedAt, dueAt }: CriticalResultEmailFacts): string =>
  [
    `Critical result:  ${id}`,
    `Order:            ${orderId}`,
    `Received:         ${formatTimestamp(detectedAt)}`,
    `Read-back due:    ${formatTimestamp(dueAt)}`,
  ].join('\n');

const formatInstructions = (id: string): string =>
  [
    'Read the result, then record who was notified and whether they read it back:',
    `  GET  /v3/critical_result/${id}`,
    `  POST /v3/critical_result/${id}/notification`,
    `  POST /v3/critical_result/${id}/read_back`,
  ].join('\n');

const PRIVACY_NOTE =
  'This e-mail intentionally contains no patient data and no values, because e-mail is not secure.';
