import type { z } from 'zod';
import type { RequestHeaders } from '../../platform/http/serve-open.ts';
import { toSessionView, type SessionView } from './session-schema.ts';
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
