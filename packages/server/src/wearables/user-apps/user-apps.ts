/** How the apps of users sign in, and as whom they call. The entry point for other modules. */
export { acceptUserApps, authenticateUser } from './authenticate.ts';
export { userAppRoutes } from './routes.ts';
export { createSignInToken } from './sign-in-token.ts';
export { ensureSigningKey } from './signing-key.ts';
