import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { domainRoutes } from './domain-routes.ts';
import { inviteRoutes, type InviteAccounts } from './invite-routes.ts';
import { memberRoutes } from './member-routes.ts';

/** The members, invites and domains of an organization. */
export function organizationRoutes(http: Http, app: App, accounts: InviteAccounts): void {
  memberRoutes(http, app);
  inviteRoutes(http, app, accounts);
  domainRoutes(http, app);
}
