/** The entry point of the module, for other modules and the CLI. */
export {
  findSession,
  openSession,
  openSessionIn,
  RECENT_MS,
  requireRecentAuthentication,
  requireSession,
  type MemberSession,
  type OpenedSession,
} from './sessions.ts';
export { preparePassword } from './new-password.ts';
export { createSignInUrl, prepareOwnerUrl, type OwnerUrl } from './sign-in-urls.ts';
export { limitInviteGuesses, recordAttempt } from './attempt-limit.ts';
export { beginToRequireSingleSignOn, endSingleSignOnSessions } from './required-single-sign-on.ts';
export { expiredCookie, readCookieToken, requireSameOrigin, returningCookie } from './session-cookie.ts';
export { replaceSession } from './sign-in.ts';
export { removeFactorsByEmail } from './remove-factors.ts';
