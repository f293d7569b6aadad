import { z } from 'zod';
import type { App } from '../../app.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import type { Http } from '../../platform/http/http.ts';
import { redirectTo } from '../../platform/http/redirect.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { LowerCaseEmail } from '../organizations/organizations.ts';
import {
  cancelEmailChange,
  confirmEmailChange,
  findPendingEmailChange,
  requestEmailChange,
} from './email-change.ts';
import { answerWithSession, originOf } from './session-answer.ts';
import { SessionView } from './session-schema.ts';
import { requireRecentAuthentication, requireSession } from './sessions.ts';

const tag = 'Accounts';
const PATH = '/v1/account/email-change';

const RequestEmailChange = z
  .object({ email: LowerCaseEmail.describe('Your new e-mail address.') })
  .meta({ id: 'RequestEmailChange' });
const ConfirmEmailChange = z
  .object({ token: z.string().min(1).max(200).describe('The token of the link: what follows # in it.') })
  .meta({ id: 'ConfirmEmailChange' });
const EmailChangeView = z
  .object({
    email: z.string().describe('The address that is not confirmed yet.'),
    expires_at: Timestamp.describe('Until then its link is valid.'),
  })
  .meta({ id: 'EmailChange' });
const PendingEmailChangeView = z
  .object({ email_change: EmailChangeView.nullable().describe('Null where no address waits.') })
  .meta({ id: 'PendingEmailChange' });

/** Members change their own e-mail address, which takes effect when the new one is confirmed. */
export function emailChangeRoutes(http: Http, app: App): void {
  request(http, app);
  pending(http, app);
  confirm(http, app);
}

function request(http: Http, app: App): void {
  http.open.post(PATH, {
    schema: {
      operationId: 'requestEmailChange',
      summary: 'Request a new e-mail address',
      description:
        'Extension. E-mails a link to the new address, valid once within one hour, and tells the old one. The address ' +
        'changes when the link is confirmed; a new request or a new password replaces the link. Needs the x-csrf-token header, ' +
        'and credentials that were shown within 5 minutes. 400 where no mail server is configured or it refuses the ' +
        'address, 403 where a directory or required single sign-on manages the address, 409 for an address that ' +
        'cannot be used, 429 after too many requests, 503 where the mail cannot be sent now.',
      tag,
      usesSession: true,
      body: RequestEmailChange,
      response: { 200: EmailChangeView },
    },
    handler: async (request) => {
      const session = await requireSession(app, request);
      requireRecentAuthentication(app, session);
      const { email, expiresAt } = await requestEmailChange(app, session, {
        email: request.body.email,
        from: request.from,
      });
      return { email, expires_at: isoTimestamp(expiresAt) };
    },
  });
}

function pending(http: Http, app: App): void {
  http.open.get(PATH, {
    schema: {
      operationId: 'getEmailChange',
      summary: 'Get your unconfirmed e-mail address',
      description: 'Extension. The change of your address that waits for its confirmation.',
      tag,
      usesSession: true,
      response: { 200: PendingEmailChangeView },
    },
    handler: async (request) => {
      const change = await findPendingEmailChange(app, await requireSession(app, request));
      return {
        email_change: change ? { email: change.email, expires_at: isoTimestamp(change.expiresAt) } : null,
      };
    },
  });

  http.open.delete(PATH, {
    schema: {
      operationId: 'cancelEmailChange',
      summary: 'Cancel the change of your e-mail address',
      description:
        'Extension. The link that was sent is not valid any more. Needs the x-csrf-token header. 404 where no address waits.',
      tag,
      usesSession: true,
      response: { 204: null },
    },
    handler: async (request) => {
      await cancelEmailChange(app, await requireSession(app, request), request.from);
    },
  });
}

function confirm(http: Http, app: App): void {
  http.open.post(`${PATH}/confirm`, {
    schema: {
      operationId: 'confirmEmailChange',
      summary: 'Confirm your new e-mail address',
      description:
        'Extension. Changes your address to the one where the link was sent, uses up the link, ends all your sessions ' +
        'and opens a new one, and tells the old address. Needs the session of the member who asked, and the ' +
        'x-csrf-token header. 404 for a link that was used, replaced, is too old or another member’s; 409 where the ' +
        'address was taken meanwhile; 429 after too many attempts. The page at /confirm-email calls this.',
      tag,
      usesSession: true,
      body: ConfirmEmailChange,
      response: { 200: SessionView },
    },
    handler: async (request) => {
      const session = await requireSession(app, request);
      const given = { token: request.body.token, origin: originOf(request, session.method) };
      return answerWithSession(request, await confirmEmailChange(app, session, given));
    },
  });

  http.visit('/confirm-email', redirectTo(app, '/dashboard/confirm-email'));
}
