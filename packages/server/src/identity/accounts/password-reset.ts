import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { hasMailServer, listMembersByEmail, sendMailNow } from '../organizations/organizations.ts';
import { recordAttempt } from './attempt-limit.ts';
import { createLink, linkUrl } from './links.ts';

/** A mail has a link for each organization that the person is a member of, up to this number. */
const ORGANIZATIONS_MAX = 10;

interface ResetRequest {
  /** In lower case. */
  readonly email: string;
  readonly from: { readonly address: string; readonly requestId: string };
}

/**
 * E-mails a reset link to a member. Nothing in the outcome depends on whether there is such a member: the lookup and
 * the mail begin after it, and only a crash in that time loses them. 429 after too many requests; 400 where no mail
 * server is configured.
 */
export async function requestPasswordReset(app: App, request: ResetRequest): Promise<void> {
  if (!hasMailServer(app)) {
    throw new DomainError(
      'bad_request',
      'This service sends no e-mail: ask its operator for a sign-in URL to set a new password',
    );
  }
  const { email, from } = request;
  await recordAttempt(app, { kind: 'password-reset', account: email, address: from.address });
  mailLinks(app, request).catch((error: unknown) =>
    app.log.error({ err: error }, 'the mail to reset a password was not sent'),
  );
}

async function mailLinks(app: App, { email, from }: ResetRequest): Promise<void> {
  const by = { actor: 'service', ...from };
  const urls = await asSystem(app.db, async (tx) => {
    const made: string[] = [];
    const members = await listMembersByEmail(tx, email, ORGANIZATIONS_MAX);
    // In one order of organizations, because each has one audit chain.
    for (const { id: memberId, org_id: orgId } of members.toSorted((a, b) =>
      a.org_id < b.org_id ? -1 : 1,
    )) {
      const { token } = await createLink(app, tx, { orgId, memberId, purpose: 'password_reset', by });
      made.push(linkUrl(app, token));
    }
    return made;
  });
  if (urls.length === 0) return;
  await sendMailNow(app, {
    id: `reset-${newId()}`,
    to: email,
    subject: 'Set a new password',
    text: [
      'A new password was requested for your account.',
      urls.length === 1
        ? 'Open this link within 30 minutes; it can be used once:'
        : 'You are a member of several organizations; each link is for one of them. Open it within 30 minutes:',
      ...urls,
      'If it was not you, you can ignore this e-mail: your password stays as it is.',
    ].join('\n\n'),
  });
}
