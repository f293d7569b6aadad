import type { App } from './app.ts';
import { limitInviteGuesses, preparePassword } from './identity/accounts/accounts.ts';
import { accountRoutes } from './identity/accounts/routes.ts';
import { brandRoutes } from './identity/brand/brand.ts';
import { directoryRoutes } from './identity/directory/routes.ts';
import { managementRoutes } from './identity/management/routes.ts';
import { organizationRoutes } from './identity/organizations/routes.ts';
import { singleSignOnRoutes } from './identity/single-sign-on/routes.ts';
import type { Http } from './platform/http/http.ts';

/** The part of compose.ts about organizations, their keys, members and directories, and how members sign in. */
export function identityRoutes(http: Http, app: App): void {
  managementRoutes(http, app);
  organizationRoutes(http, app, { preparePassword, limitGuesses: limitInviteGuesses });
  directoryRoutes(http, app);
  accountRoutes(http, app);
  singleSignOnRoutes(http, app);
  brandRoutes(http);
}
