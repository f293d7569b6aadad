import type { App } from '../../app.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { Http } from '../../platform/http/http.ts';
import { createPasskeyChallenge, relyingPartyOf } from '../factors/factors.ts';
import { recordAttempt } from './attempt-limit.ts';
import { RequestOptions, ShowPasskey } from './passkey-schema.ts';
import { reauthenticateWithPasskey, signInWithPasskey } from './passkey-sign-in.ts';
import { answerWithSession, originOf } from './session-answer.ts';
import { expiredCookie, requireSameOrigin, secretCookie } from './session-cookie.ts';
import { SessionView } from './session-schema.ts';
import { requireSession } from './sessions.ts';

const tag = 'Accounts';
export const PASSKEY_TIMEOUT_MS = 5 * MINUTE;

/** Signing in with a passkey, and showing it again. */
export function passkeySignInRoutes(http: Http, app: App): void {
  options(http, app);
  signIn(http, app);
  again(http, app);
}

function options(http: Http, app: App): void {
  http.open.post('/v1/session/passkey/options', {
    schema: {
      operationId: 'startPasskeySignIn',
      summary: 'Get a challenge for a passkey',
      description:
        'Extension. The `publicKey` of `navigator.credentials.get`. Sets a cookie: only this browser can answer, once, ' +
        'within 5 minutes. 400 where PUBLIC_URL has no domain name.',
      tag,
      response: { 200: RequestOptions },
    },
    handler: async (request) => {
      requireSameOrigin(app, request);
      const { id: rpId } = relyingPartyOf(app);
      await recordAttempt(app, { kind: 'passkey', address: request.from.address });
      const { challenge, browserToken } = await createPasskeyChallenge(app, undefined);
      request.setCookie(secretCookie(app, 'passkey', browserToken));
      return { challenge, timeout: PASSKEY_TIMEOUT_MS, rpId, userVerification: 'required' as const };
    },
  });
}

function signIn(http: Http, app: App): void {
  http.open.post('/v1/session/passkey', {
    schema: {
      operationId: 'signInWithPasskey',
      summary: 'Sign in with a passkey',
      description:
        'Extension. Opens a session and sets its cookie. A passkey counts as two factors, so no second step follows. ' +
        '401 for a passkey that is not accepted.',
      tag,
      body: ShowPasskey,
      response: { 200: SessionView },
    },
    handler: async (request) => {
      requireSameOrigin(app, request);
      const { headers, body } = request;
      const proof = { headers, credential: body.credential, origin: originOf(request, 'passkey') };
      const view = answerWithSession(request, await signInWithPasskey(app, proof));
      request.setCookie(expiredCookie(app, 'passkey'));
      request.setCookie(expiredCookie(app, 'sign-in'));
      return view;
    },
  });
}

function again(http: Http, app: App): void {
  http.open.post('/v1/session/reauthenticate/passkey', {
    schema: {
      operationId: 'reauthenticateWithPasskey',
      summary: 'Show your passkey again',
      description:
        'Extension. Like `POST /v1/session/reauthenticate`, with a passkey and a challenge of ' +
        '`POST /v1/session/passkey/options`. Needs the x-csrf-token header. 401 for a passkey that is not accepted, or ' +
        'belongs to another member.',
      tag,
      usesSession: true,
      body: ShowPasskey,
      response: { 200: SessionView },
    },
    handler: async (request) => {
      const session = await requireSession(app, request);
      const { headers, body } = request;
      const proof = { headers, credential: body.credential, origin: originOf(request, 'passkey') };
      const view = answerWithSession(request, await reauthenticateWithPasskey(app, session, proof));
      request.setCookie(expiredCookie(app, 'passkey'));
      return view;
    },
  });
}
