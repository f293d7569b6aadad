import { z } from 'zod';
import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { LowerCaseEmail } from '../organizations/organizations.ts';
import { requestPasswordReset } from './password-reset.ts';
import { requireSameOrigin } from './session-cookie.ts';

const RequestReset = z
  .object({ email: LowerCaseEmail.describe('The e-mail address of the member.') })
  .meta({ id: 'RequestPasswordReset' });

/** Asking for a link to set a new password. The route for one-time links uses it. */
export function passwordResetRoutes(http: Http, app: App): void {
  http.open.post('/v1/account/password-reset', {
    schema: {
      operationId: 'requestPasswordReset',
      summary: 'Ask for a new password',
      description:
        'Extension. E-mails a one-time link, valid for 30 minutes, with which the member sets a new password at ' +
        '/sign-in-link or by `POST /v1/session/link`. Always answers 204, whether or not there is such a member. 400 ' +
        'where no mail server is configured, 429 after too many requests.',
      tag: 'Accounts',
      body: RequestReset,
      response: { 204: null },
    },
    handler: async (request) => {
      requireSameOrigin(app, request);
      await requestPasswordReset(app, { email: request.body.email, from: request.from });
    },
  });
}
