import { z } from 'zod';
import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { respondWith } from '../../platform/http/route.ts';
import { RevokedTokensView, revokeTokens } from '../../identity/management/management.ts';
import { getUser } from '../../users/users/users.ts';
import { parseForm } from '../../hosted/hosted.ts';
import { SessionRefusalView, SessionTokensView } from './schema.ts';
import { beginSession, refreshSession, type SessionRefusal, type SessionTokens } from './session.ts';

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const BODY_BYTES_MAX = 16 * 1024;

// prettier-ignore
const MESSAGES: Readonly<Record<SessionRefusal, string>> = {
  invalid_token: 'The token is unknown, has expired or was revoked, or its user no longer exists',
  reauthentication_required: 'The session has ended; sign in with a new sign-in token',
};

/** Where apps of users get their tokens, in the form of RFC 6749 and RFC 8693. */
export function userAppRoutes(http: Http, app: App): void {
  signOutRoute(http);
  http.inbound('/v1/token', {
    limitBytes: BODY_BYTES_MAX,
    schema: {
      operationId: 'createUserAppTokens',
      summary: 'Exchange a sign-in token, or refresh the tokens of a user’s app',
      description:
        'Extension, as the public mobile SDKs call it. The body is a form. `grant_type` is ' +
        `\`${EXCHANGE}\` with the user token of a sign-in token as \`subject_token\`, or \`refresh_token\` with ` +
        '`refresh_token`. A refresh token can be used once, and again within a minute; later use ends the session.',
      tag: 'Users',
      response: { 200: SessionTokensView, 400: SessionRefusalView, 401: SessionRefusalView },
    },
    handler: async ({ body }) => {
      const tokens = await grantTokens(app, parseForm(body));
      if (tokens === undefined) {
        const error_message = `Expected a form with a grant_type of ${EXCHANGE} or refresh_token, and its token`;
        return respondWith(400, { detail: { error_type: 'invalid_request' as const, error_message } });
      }
      if (typeof tokens !== 'string') return tokens;
      return respondWith(401, { detail: { error_type: tokens, error_message: MESSAGES[tokens] } });
    },
  });
}

const APP_TOKENS = ['sign_in', 'app_access', 'app_refresh'] as const;

function signOutRoute(http: Http): void {
  http.post('/v2/user/:user_id/revoke_app_api_key', {
    schema: {
      operationId: 'revokeUserApps',
      summary: 'Sign out the apps of a user',
      description:
        'Extension, by the name under which the public mobile SDKs call it. Apps have no API keys here: what ends are ' +
        'the sign-in tokens of the user and the tokens of the sessions that began with them, at once, in every process. ' +
        'The API key of the request is not revoked.',
      tag: 'Users',
      params: z.object({ user_id: z.guid() }),
      response: { 200: RevokedTokensView },
    },
    handler: async ({ work, params }) => {
      const { id: userId } = await getUser(work, params.user_id);
      const revoked: string[] = [];
      // A session lasts longer than the row of the sign-in token that began it.
      for (const kind of APP_TOKENS) revoked.push(...(await revokeTokens(work, { userId, kind })));
      return { revoked };
    },
  });
}

async function grantTokens(
  app: App,
  form: Readonly<Record<string, string>>,
): Promise<SessionTokens | SessionRefusal | undefined> {
  const { grant_type: grant, subject_token: subject, refresh_token: refresh } = form;
  if (grant === EXCHANGE && subject) return beginSession(app, subject);
  if (grant === 'refresh_token' && refresh) return refreshSession(app, refresh);
  return undefined;
}
