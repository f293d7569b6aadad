import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { domainRoutes } from './domain-routes.ts';
import { inviteRoutes } from './invite-routes.ts';
import type { PasswordPreparer } from './invites.ts';
import { memberRoutes } from './member-routes.ts';

/** The members, invites and domains of an organization. */
export function organizationRoutes(
  http: Http,
  app: App,
  { preparePassword }: { preparePassword: PasswordPreparer },
): void {
  memberRoutes(http, app);
  inviteRoutes(http, app, preparePassword);
  domainRoutes(http, app);
}
