import type { App } from '../../app.ts';
import { newId } from '../../platform/ids.ts';
import { sendMailNow } from '../organizations/organizations.ts';
import { tokenUrl } from './links.ts';

interface EmailChangeMail {
  readonly known: string;
  readonly wanted: string;
  readonly token: string;
}

const WARNING =
  'If this was not you, change your password, which ends all sessions, and tell an administrator of your organization at once.';

/** Throws where the new address cannot be reached. The old one is told then only, since nothing can follow without. */
export async function mailEmailChange(app: App, { known, wanted, token }: EmailChangeMail): Promise<void> {
  await sendMailNow(app, {
    id: `email-change-${newId()}`,
    to: wanted,
    subject: 'Confirm your new e-mail address',
    text: [
      'You asked to sign in with this e-mail address from now on.',
      'Open this link within one hour, where you are signed in; it can be used once:',
      tokenUrl(app, '/confirm-email', token),
      'If it was not you, you can ignore this e-mail: nothing changes.',
    ].join('\n\n'),
  });
  await tell(app, known, {
    subject: 'A new e-mail address was requested for your account',
    text: [
      'A change of the e-mail address of your account was requested. A link was sent to the new address, and this one stays yours until the link is confirmed.',
      `${WARNING} A new password also cancels the request.`,
    ],
  });
}

/** Tells the address that was the member's until now. */
export const mailChangedEmail = (app: App, to: string): Promise<void> =>
  tell(app, to, {
    subject: 'The e-mail address of your account was changed',
    text: [
      'Your account has another e-mail address now. You no longer sign in with this one.',
      'If this was not you, tell an administrator of your organization at once.',
    ],
  });

/** The change is done: that the mail server is away does not undo it. */
async function tell(app: App, to: string, mail: { subject: string; text: readonly string[] }): Promise<void> {
  const { subject, text } = mail;
  await sendMailNow(app, { id: `email-changed-${newId()}`, to, subject, text: text.join('\n\n') }).catch(
    (error: unknown) => app.log.error({ err: error }, 'the mail about a changed e-mail address was not sent'),
  );
}
