import type { App } from '../../app.ts';
import { newId } from '../../platform/ids.ts';
import { sendMailNow } from '../organizations/organizations.ts';

/** What happened to the second factors of a member, as the subject of the mail that tells it. */
const SUBJECTS = {
  totp_added: 'An authenticator app was added to your account',
  totp_removed: 'The authenticator app of your account was removed',
  passkey_added: 'A passkey was added to your account',
  passkey_removed: 'A passkey of your account was removed',
  recovery_codes_replaced: 'The recovery codes of your account were replaced',
} as const;
type MailedFactorChange = keyof typeof SUBJECTS;

/**
 * Tells a member what changed about the second factors, so that a stranger in a session does not go unnoticed. The
 * change is done: that the mail server is away does not undo it.
 */
export async function mailFactorChange(app: App, to: string, change: MailedFactorChange): Promise<void> {
  const mail = {
    id: `factor-changed-${newId()}`,
    to,
    subject: SUBJECTS[change],
    text: [
      `${SUBJECTS[change]}.`,
      'If this was not you, change your password, end your other sessions, and tell an administrator of your organization at once.',
    ].join('\n\n'),
  };
  await sendMailNow(app, mail).catch((error: unknown) =>
    app.log.error({ err: error, change }, 'the mail about a changed second factor was not sent'),
  );
}
