import { z } from 'zod';
import type { App } from '../../app.ts';
import { Email } from '../../people/schema.ts';
import type { Http } from '../../platform/http/http.ts';
import { PASSWORD_MAX, PASSWORD_MIN } from './password-hash.ts';
import { answerWithSession, answerWithSignIn, originOf } from './session-answer.ts';
import { requireSameOrigin } from './session-cookie.ts';
import { toProof, secondFactorFields } from './second-factor-schema.ts';
import { SessionView, SignInPending } from './session-schema.ts';
import { requireRecentAuthentication, requireSession } from './sessions.ts';
import { changePassword, reauthenticate, signInWithPassword } from './sign-in.ts';

const tag = 'Accounts';

const GivenPassword = z.string().min(1).max(PASSWORD_MAX);
const NewPassword = z
  .string()
  .min(PASSWORD_MIN)
  .max(PASSWORD_MAX)
  .describe(`The new password: ${PASSWORD_MIN} to ${PASSWORD_MAX} characters, and hard to guess.`);

const SignIn = z
  .object({
    email: Email.transform((text) => text.toLowerCase()).describe('The e-mail address of the member.'),
    password: GivenPassword.describe('The password of the member.'),
    org_id: z
      .guid()
      .nullish()
      .describe('The organization. Required of a person who is a member of several organizations.'),
  })
  .meta({ id: 'SignInWithPassword' });
const ShowPassword = z
  .object({
    password: GivenPassword.describe('The password of the signed-in member.'),
    ...secondFactorFields,
  })
  .meta({ id: 'ReauthenticateWithPassword' });
const SetPassword = z.object({ password: NewPassword }).meta({ id: 'SetMemberPassword' });

/** Signing in with a password, and changing it. */
export function passwordRoutes(http: Http, app: App): void {
  signIn(http, app);
  change(http, app);
}

function signIn(http: Http, app: App): void {
  http.open.post('/v1/session', {
    schema: {
      operationId: 'signIn',
      summary: 'Sign in with a password',
      description:
        'Extension. Opens a session and sets its cookie. 202 for a member who has a second factor, or must enroll one: ' +
        'the cookie of that response permits only this, within 10 minutes. 401 for a wrong address or password, without ' +
        'telling which; 429 after too many attempts.',
      tag,
      body: SignIn,
      response: { 200: SessionView, 202: SignInPending },
    },
    handler: async (request) => {
      requireSameOrigin(app, request);
      const { email, password, org_id } = request.body;
      const origin = originOf(request, 'password');
      const orgId = org_id ?? undefined;
      return answerWithSignIn(request, await signInWithPassword(app, { email, password, orgId, origin }));
    },
  });
}

function change(http: Http, app: App): void {
  http.open.post('/v1/session/reauthenticate', {
    schema: {
      operationId: 'reauthenticate',
      summary: 'Show your credentials again',
      description:
        'Extension. Replaces the session and its cookie. Operations that are dangerous need credentials that were ' +
        'shown within 5 minutes, and answer 403 with the code `reauthentication_required` without. Needs the ' +
        'x-csrf-token header, and a code of a member who has a second factor. 403 for a wrong password, and with the ' +
        'code `second_factor_required` without a code; 401 for a wrong code.',
      tag,
      usesSession: true,
      body: ShowPassword,
      response: { 200: SessionView },
    },
    handler: async (request) => {
      const session = await requireSession(app, request);
      const { password } = request.body;
      const given = { password, proof: toProof(request.body), origin: originOf(request, 'password') };
      return answerWithSession(request, await reauthenticate(app, session, given));
    },
  });

  http.open.put('/v1/account/password', {
    schema: {
      operationId: 'changePassword',
      summary: 'Change your password',
      description:
        'Extension. Ends all sessions of the member and opens a new one. Needs the x-csrf-token header, and ' +
        'credentials that were shown within 5 minutes.',
      tag,
      usesSession: true,
      body: SetPassword,
      response: { 200: SessionView },
    },
    handler: async (request) => {
      const session = await requireSession(app, request);
      requireRecentAuthentication(app, session);
      const given = { password: request.body.password, origin: originOf(request, 'password') };
      return answerWithSession(request, await changePassword(app, session, given));
    },
  });
}
