/** The entry point of the module, for other modules and the CLI. */
export { findSession, openSession, requireRecentAuthentication, type MemberSession } from './sessions.ts';
export { preparePassword } from './new-password.ts';
export { createSignInUrl, prepareOwnerUrl, type OwnerUrl } from './sign-in-urls.ts';
export { limitInviteGuesses } from './attempt-limit.ts';
