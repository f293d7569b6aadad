import type { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { respondWith } from '../../platform/http/route.ts';
import type { RequestHeaders } from '../../platform/http/serve-open.ts';
import type { SignInOutcome } from './second-factor.ts';
import { toSessionView, type SessionView, type SignInPending } from './session-schema.ts';
import type { OpenedSession, SessionOrigin } from './sessions.ts';
import type { SignInMethod } from './table.ts';

interface SignInRequest {
  readonly headers: RequestHeaders;
  readonly from: { readonly address: string; readonly requestId: string };
  setCookie(cookie: string): void;
}

/** Where the session of a request begins. */
export const originOf = ({ from, headers }: SignInRequest, method: SignInMethod): SessionOrigin => ({
  ...from,
  method,
  userAgent: headers['user-agent']?.toString(),
});

/** Sets the cookie of a new session, and returns its view. */
export function answerWithSession(
  request: SignInRequest,
  { session, cookie, csrfToken }: OpenedSession,
): z.input<typeof SessionView> {
  request.setCookie(cookie);
  return toSessionView(session, csrfToken);
}

type SignInResponses = {
  readonly 200: typeof SessionView;
  readonly 202: typeof SignInPending;
};

/** Sets the cookie of a new session or of the second step before it, and returns its view. */
export function answerWithSignIn(request: SignInRequest, outcome: SignInOutcome) {
  if (outcome.session) return answerWithSession(request, outcome.session);
  const { cookie, methods, expiresAt } = outcome.pending;
  request.setCookie(cookie);
  return respondWith<SignInResponses, 202>(202, {
    status: methods.length > 0 ? 'second_factor_required' : 'enrollment_required',
    methods: [...methods],
    expires_at: isoTimestamp(expiresAt),
  });
}
