import { z } from 'zod';
import type { App } from '../../app.ts';
import {
  actorOf,
  requireOrgKey,
  requireRegion,
  authorizeList,
} from '../../identity/management/management.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { Http } from '../../platform/http/http.ts';
import type { ManagementPrincipal } from '../../platform/http/route.ts';
import { ENVIRONMENTS, REGIONS } from '../../platform/tenant.ts';
import { setTeamAllowlist } from './set-team-allowlist.ts';
import { listOrgAccounts } from './org-store.ts';
import { LabAccountStatus, LabAccountView, viewLabAccount, type LabAccount } from './schema.ts';

const tag = 'Management';
const OrgLabAccountsParams = z.object({
  org_id: z.guid(),
  env: z.enum(ENVIRONMENTS),
  region: z.enum(REGIONS),
});
const OrgLabAccountParams = OrgLabAccountsParams.extend({ account_id: z.guid() });

const OrgLabAccountQuery = z.object({
  lab_account_id: z.guid().nullish(),
  team_id: z.guid().nullish().describe('Returns the accounts that this team may use.'),
  status: LabAccountStatus.nullish(),
});

const LabAccounts = z.object({ data: z.array(LabAccountView) }).meta({ id: 'LabAccountsResponse' });
const OneLabAccount = z.object({ lab_account: LabAccountView.nullable() }).meta({ id: 'LabAccountResponse' });

const TEAMS_MAX = 1000;
const TeamAllowlistBody = z
  .object({
    team_id_allowlist: z
      .array(z.guid())
      .max(TEAMS_MAX)
      .describe('The complete list of teams that may order through the account.'),
  })
  .meta({ id: 'LabAccountTeamIdAllowlistUpdateBody' });

/** The organization's lab accounts and their team allowlists. */
export function orgLabAccountRoutes(http: Http, app: App): void {
  listRoute(http, app);
  allowlistRoute(http, app);
}

function listRoute(http: Http, app: App): void {
  http.management.get('/v1/org/:org_id/lab_account/:env/:region', {
    schema: {
      operationId: 'listOrgLabAccounts',
      summary: "List the organization's lab accounts",
      description: 'A Team Management Key must set `team_id` to one of its teams.',
      tag,
      params: OrgLabAccountsParams,
      query: OrgLabAccountQuery,
      response: { 200: LabAccounts },
    },
    handler: async ({ principal, params, query }) => {
      const team = await authorizeList(app, principal, { org_id: params.org_id, team_id: query.team_id });
      requireRegion(app, params.region);
      const of = { orgId: principal.orgId, environment: params.env };
      const filter = { id: query.lab_account_id, teamId: team?.id, status: query.status };
      const accounts = await asSystem(app.db, (tx) => listOrgAccounts(tx, of, filter));
      return { data: accounts.map((account) => viewLabAccount(hideOtherTeams(principal, account))) };
    },
  });
}

/** Hides teams that a Team Management Key has no access to. */
const hideOtherTeams = ({ teamIds }: ManagementPrincipal, account: LabAccount): LabAccount =>
  teamIds === null ? account : { ...account, teamIds: account.teamIds.filter((id) => teamIds.has(id)) };

function allowlistRoute(http: Http, app: App): void {
  http.management.patch('/v1/org/:org_id/lab_account/:env/:region/:account_id', {
    schema: {
      operationId: 'changeLabAccountAllowlist',
      summary: 'Set the team allowlist of a lab account',
      description: 'Replaces the allowlist. An empty list closes the account to all teams.',
      tag,
      params: OrgLabAccountParams,
      body: TeamAllowlistBody,
      response: { 200: OneLabAccount },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      requireRegion(app, params.region);
      const account = await setTeamAllowlist(app, {
        orgId: principal.orgId,
        environment: params.env,
        id: params.account_id,
        teamIds: body.team_id_allowlist,
        by: actorOf({ principal, from }),
      });
      return { lab_account: viewLabAccount(account) };
    },
  });
}
