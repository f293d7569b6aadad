import { z } from 'zod';
import type { App } from '../../app.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { Http } from '../../platform/http/http.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { requireEnrollee } from './enrollment.ts';
import { EnrolledFactorView } from './factor-schema.ts';
import { TotpCode } from './second-factor-schema.ts';
import { answerWithSession, originOf } from './session-answer.ts';
import { expiredCookie } from './session-cookie.ts';
import { memberActor, requireRecentAuthentication, requireSession } from './sessions.ts';
import { mailFactorChange } from './factor-mail.ts';
import { confirmTotp, disableTotp, enrollTotp } from './totp-enrollment.ts';

const tag = 'Accounts';
const PATH = '/v1/account/totp';

const TotpEnrollmentView = z
  .object({
    secret: z.string().describe('The secret in base32, to be entered by hand. Shown once.'),
    otpauth_uri: z.string().describe('The URI for the QR code that the authenticator app reads.'),
    expires_at: Timestamp.describe('Until then, a code confirms the enrollment.'),
  })
  .meta({ id: 'TotpEnrollment' });
const ConfirmTotp = z.object({ totp_code: TotpCode }).meta({ id: 'ConfirmTotp' });
/** The authenticator app of the signed-in member, or of one who must enroll at sign-in. */
export function totpRoutes(http: Http, app: App): void {
  enroll(http, app);
  confirm(http, app);
  remove(http, app);
}

function enroll(http: Http, app: App): void {
  http.open.post(PATH, {
    schema: {
      operationId: 'enrollTotp',
      summary: 'Enroll an authenticator app',
      description:
        'Extension. Returns a new secret (RFC 6238: SHA-1, six digits, 30 seconds), which becomes the second factor ' +
        'when a code of it is confirmed within 15 minutes. An earlier one stays valid until then. Needs a session with ' +
        'the x-csrf-token header and credentials that were shown within 5 minutes, or the cookie of a sign-in that ' +
        'answered `enrollment_required`.',
      tag,
      usesSession: true,
      response: { 200: TotpEnrollmentView },
    },
    handler: async (request) => {
      const { secret, uri, expiresAt } = await enrollTotp(app, await requireEnrollee(app, request));
      return { secret, otpauth_uri: uri, expires_at: isoTimestamp(expiresAt) };
    },
  });
}

function confirm(http: Http, app: App): void {
  http.open.post(`${PATH}/confirm`, {
    schema: {
      operationId: 'confirmTotp',
      summary: 'Confirm an authenticator app',
      description:
        'Extension. Makes the enrolled app the second factor and ends all other sessions of the member. At sign-in, ' +
        'opens the session and sets its cookie. 401 for a wrong code, 404 without an enrollment, 429 after too many ' +
        'attempts.',
      tag,
      usesSession: true,
      body: ConfirmTotp,
      response: { 200: EnrolledFactorView },
    },
    handler: async (request) => {
      const enrollee = await requireEnrollee(app, request);
      const origin = originOf(request, enrollee.pre?.method ?? 'password');
      const code = request.body.totp_code;
      const { recoveryCodes, opened } = await confirmTotp(app, enrollee, { code, origin });
      const session = opened ? answerWithSession(request, opened) : null;
      if (opened) request.setCookie(expiredCookie(app, 'sign-in'));
      return { recovery_codes: recoveryCodes ?? null, session };
    },
  });
}

function remove(http: Http, app: App): void {
  http.open.delete(PATH, {
    schema: {
      operationId: 'removeTotp',
      summary: 'Remove your authenticator app',
      description:
        'Extension. Recovery codes end with the last second factor. Needs the x-csrf-token header and credentials that ' +
        'were shown within 5 minutes. 404 without an app, 409 where the organization requires a second factor and it ' +
        'is the last one.',
      tag,
      usesSession: true,
      response: { 204: null },
    },
    handler: async (request) => {
      const session = await requireSession(app, request);
      requireRecentAuthentication(app, session);
      await asSystem(app.db, (tx) =>
        disableTotp(app, tx, { ...session, by: memberActor(session, request.from) }),
      );
      await mailFactorChange(app, session.email, 'totp_removed');
    },
  });
}
