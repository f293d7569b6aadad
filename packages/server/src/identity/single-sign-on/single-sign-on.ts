/** The entry point of the module, for other modules: single sign-on by OpenID Connect. */
export { checkClientSecret } from './client-secret.ts';
