import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { linkRoutes } from './link-routes.ts';
import { passwordRoutes } from './password-routes.ts';
import { passwordResetRoutes } from './password-reset-routes.ts';
import { sessionRoutes } from './session-routes.ts';

/** How members of organizations sign in, and what they do with their own accounts. */
export function accountRoutes(http: Http, app: App): void {
  sessionRoutes(http, app);
  passwordRoutes(http, app);
  linkRoutes(http, app);
  passwordResetRoutes(http, app);
}
