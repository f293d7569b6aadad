import { z } from 'zod';
import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { redirectTo } from '../../platform/http/redirect.ts';
import { DisplayName, LowerCaseEmail } from '../organizations/organizations.ts';
import { signInWithLink } from './links.ts';
import { PASSWORD_MAX, PASSWORD_MIN } from './password-hash.ts';
import { answerWithSignIn, originOf } from './session-answer.ts';
import { requireSameOrigin } from './session-cookie.ts';
import { SessionView, SignInPending } from './session-schema.ts';
import { forgetOwnerUrl } from './sign-in-urls.ts';

const SignInLink = z
  .object({
    token: z.string().min(1).max(200).describe('The token of the link: what follows # or `owner.` in it.'),
    password: z
      .string()
      .min(PASSWORD_MIN)
      .max(PASSWORD_MAX)
      .nullish()
      .describe(`A new password: ${PASSWORD_MIN} to ${PASSWORD_MAX} characters, and hard to guess.`),
    name: DisplayName.nullish().describe(
      'The name of the first owner. Required for the link of the first start.',
    ),
    email: LowerCaseEmail.nullish().describe(
      'The e-mail address of the first owner. Required for the link of the first start.',
    ),
  })
  .meta({ id: 'SignInWithLink' });

/** Signing in with a one-time link, and the page behind such links. */
export function linkRoutes(http: Http, app: App): void {
  http.open.post('/v1/session/link', {
    schema: {
      operationId: 'signInWithLink',
      summary: 'Sign in with a one-time link',
      description:
        'Extension. Opens a session, sets its cookie, and uses up the link. A `password` is set in the same step, ' +
        'which ends all other sessions of the member. The link of the first start makes the person with `name` and ' +
        '`email` the org_admin of the organization. 404 for a link that was used or is too old, 422 for a weak ' +
        'password, which leaves the link valid; 429 after too many attempts. 202 where a second factor must follow: the ' +
        'password is set then, and the link used up. The page at /sign-in-link calls this.',
      tag: 'Accounts',
      body: SignInLink,
      response: { 200: SessionView, 202: SignInPending },
    },
    handler: async (request) => {
      requireSameOrigin(app, request);
      const { token, password, name, email } = request.body;
      const outcome = await signInWithLink(app, {
        token,
        password: password ?? undefined,
        name: name ?? undefined,
        email: email ?? undefined,
        origin: originOf(request, 'link'),
      });
      await forgetOwnerUrl(app, token);
      return answerWithSignIn(request, outcome);
    },
  });

  // The URL of links that were sent does not change. Browsers keep its fragment, which has the token.
  http.visit('/sign-in-link', redirectTo(app, '/dashboard/sign-in-link'));
}
