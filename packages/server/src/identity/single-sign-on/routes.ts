import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { connectionRoutes } from './connection-routes.ts';
import { singleSignInRoutes } from './sign-in-routes.ts';

/** Single sign-on by OpenID Connect: the identity providers of organizations, and signing in with them. */
export function singleSignOnRoutes(http: Http, app: App): void {
  connectionRoutes(http, app);
  singleSignInRoutes(http, app);
}
