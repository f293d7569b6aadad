import { z } from 'zod';
import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { requireFound } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import {
  createPasskeyChallenge,
  listPasskeys,
  PASSKEY_ALGORITHMS,
  relyingPartyOf,
  removePasskey,
  renamePasskey,
  toUserHandle,
} from '../factors/factors.ts';
import { recordAttempt } from './attempt-limit.ts';
import { requireEnrollee } from './enrollment.ts';
import { addPasskey } from './add-passkey.ts';
import { mailFactorChange } from './factor-mail.ts';
import {
  CreationOptions,
  PasskeyList,
  RegisteredPasskeyView,
  RegisterPasskey,
  RenamePasskey,
  toPasskeyView,
} from './passkey-schema.ts';
import { PASSKEY_TIMEOUT_MS } from './passkey-sign-in-routes.ts';
import { answerWithSession, originOf } from './session-answer.ts';
import { expiredCookie, secretCookie } from './session-cookie.ts';
import { memberActor, requireRecentAuthentication, requireSession } from './sessions.ts';
import { requireFactorLeft } from './sign-in-policy.ts';

const tag = 'Accounts';
const PATH = '/v1/account/passkey';
const PasskeyId = z.object({ passkey_id: z.guid() });

/** The passkeys of the signed-in member, or of one who must enroll at sign-in. */
export function passkeyRoutes(http: Http, app: App): void {
  options(http, app);
  register(http, app);
  list(http, app);
  rename(http, app);
  remove(http, app);
}

function options(http: Http, app: App): void {
  http.open.post(`${PATH}/options`, {
    schema: {
      operationId: 'startPasskeyRegistration',
      summary: 'Get a challenge for a new passkey',
      description:
        'Extension. The `publicKey` of `navigator.credentials.create`. Sets a cookie: only this browser can answer, ' +
        'once, within 5 minutes. Needs a session with the x-csrf-token header and credentials that were shown within 5 ' +
        'minutes, or the cookie of a sign-in that answered `enrollment_required`.',
      tag,
      usesSession: true,
      response: { 200: CreationOptions },
    },
    handler: async (request) => {
      const { memberId, email, name } = await requireEnrollee(app, request);
      const { id } = relyingPartyOf(app);
      await recordAttempt(app, { kind: 'passkey', address: request.from.address });
      const { challenge, browserToken } = await createPasskeyChallenge(app, memberId);
      request.setCookie(secretCookie(app, 'passkey', browserToken));
      const known = await asSystem(app.db, (tx) => listPasskeys(tx, memberId));
      return {
        rp: { id, name: id },
        user: { id: toUserHandle(memberId), name: email, displayName: name },
        challenge,
        pubKeyCredParams: PASSKEY_ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
        timeout: PASSKEY_TIMEOUT_MS,
        excludeCredentials: known.map((row) => ({
          type: 'public-key' as const,
          id: row.credential_id,
          transports: row.transports,
        })),
        authenticatorSelection: {
          residentKey: 'required' as const,
          requireResidentKey: true as const,
          userVerification: 'required' as const,
        },
        attestation: 'none' as const,
      };
    },
  });
}

function register(http: Http, app: App): void {
  http.open.post(PATH, {
    schema: {
      operationId: 'registerPasskey',
      summary: 'Register a passkey',
      description:
        'Extension. Ends all other sessions of the member. At sign-in, opens the session and sets its cookie. 400 for ' +
        'a passkey that is not valid, 409 for one that is registered.',
      tag,
      usesSession: true,
      body: RegisterPasskey,
      response: { 200: RegisteredPasskeyView },
    },
    handler: async (request) => {
      const enrollee = await requireEnrollee(app, request);
      const { headers, body } = request;
      const origin = originOf(request, enrollee.pre?.method ?? 'passkey');
      const added = await addPasskey(app, enrollee, { headers, ...body, origin });
      const session = added.opened ? answerWithSession(request, added.opened) : null;
      request.setCookie(expiredCookie(app, 'passkey'));
      if (added.opened) request.setCookie(expiredCookie(app, 'sign-in'));
      return { passkey_id: added.id, recovery_codes: added.recoveryCodes ?? null, session };
    },
  });
}

function list(http: Http, app: App): void {
  http.open.get(PATH, {
    schema: {
      operationId: 'listPasskeys',
      summary: 'List your passkeys',
      description: 'Extension. The passkeys of the signed-in member, oldest first.',
      tag,
      usesSession: true,
      response: { 200: PasskeyList },
    },
    handler: async (request) => {
      const { memberId } = await requireSession(app, request);
      const rows = await asSystem(app.db, (tx) => listPasskeys(tx, memberId));
      return { passkeys: rows.map(toPasskeyView) };
    },
  });
}

function rename(http: Http, app: App): void {
  http.open.patch(`${PATH}/:passkey_id`, {
    schema: {
      operationId: 'renamePasskey',
      summary: 'Rename a passkey',
      description: 'Extension. Needs the x-csrf-token header.',
      tag,
      usesSession: true,
      params: PasskeyId,
      body: RenamePasskey,
      response: { 204: null },
    },
    handler: async (request) => {
      const { memberId } = await requireSession(app, request);
      const named = { memberId, id: request.params.passkey_id, name: request.body.name };
      requireFound((await asSystem(app.db, (tx) => renamePasskey(tx, named))) || undefined, 'Passkey');
    },
  });
}

function remove(http: Http, app: App): void {
  http.open.delete(`${PATH}/:passkey_id`, {
    schema: {
      operationId: 'removePasskey',
      summary: 'Remove a passkey',
      description:
        'Extension. Needs the x-csrf-token header and credentials that were shown within 5 minutes. 409 where the ' +
        'organization requires a second factor and it is the last one.',
      tag,
      usesSession: true,
      params: PasskeyId,
      response: { 204: null },
    },
    handler: async (request) => {
      const session = await requireSession(app, request);
      requireRecentAuthentication(app, session);
      const { memberId, orgId } = session;
      const by = memberActor(session, request.from);
      await asSystem(app.db, async (tx) => {
        await removePasskey(app, tx, { memberId, orgId, id: request.params.passkey_id, by });
        await requireFactorLeft(tx, { memberId, orgId });
      });
      await mailFactorChange(app, session.email, 'passkey_removed');
    },
  });
}
