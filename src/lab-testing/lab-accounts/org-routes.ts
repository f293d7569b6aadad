import { z } from 'zod';
import type { App } from '../../app.ts';
import { authorOf, requireOrgKey, requireRegion, scopedList } from '../../management/management.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { Http } from '../../platform/http/http.ts';
import type { ManagementPrincipal } from '../../platform/http/route.ts';
import { ENVIRONMENTS, REGIONS } from '../../platform/tenant.ts';
import { openToTeams } from './open-to-teams.ts';
import { listOrgAccounts } from './org-store.ts';
import { LabAccountStatus, LabAccountView, viewLabAccount, type LabAccount } from './schema.ts';

const tag = 'Management';
const Place = z.object({ org_id: z.guid(), env: z.enum(ENVIRONMENTS), region: z.enum(REGIONS) });
const OneAccount = Place.extend({ account_id: z.guid() });

const Query = z.object({
  lab_account_id: z.guid().nullish(),
  team_id: z.guid().nullish().describe('Accounts that are open to this team.'),
  status: LabAccountStatus.nullish(),
});

const LabAccounts = z.object({ data: z.array(LabAccountView) }).meta({ id: 'LabAccountsResponse' });
const OneLabAccount = z.object({ lab_account: LabAccountView.nullable() }).meta({ id: 'LabAccountResponse' });

const TEAMS_MAX = 1000;
const Allowlist = z
  .object({ team_id_allowlist: z.array(z.guid()).max(TEAMS_MAX) })
  .meta({ id: 'LabAccountTeamIdAllowlistUpdateBody' });

/** The organization's lab accounts, and to which of its teams each is open. */
export function orgLabAccountRoutes(http: Http, app: App): void {
  list(http, app);
  changeAllowlist(http, app);
}

function list(http: Http, app: App): void {
  http.management.get('/v1/org/:org_id/lab_account/:env/:region', {
    schema: {
      operationId: 'listOrgLabAccounts',
      summary: "List the organization's lab accounts",
      description: 'A Team Management Key names one of its teams by team_id.',
      tag,
      params: Place,
      query: Query,
      response: { 200: LabAccounts },
    },
    handler: async ({ principal, params, query }) => {
      const team = await scopedList(app, principal, { org_id: params.org_id, team_id: query.team_id });
      requireRegion(app, params.region);
      const of = { orgId: principal.orgId, environment: params.env };
      const filter = { id: query.lab_account_id, teamId: team?.id, status: query.status };
      const accounts = await asSystem(app.db, (tx) => listOrgAccounts(tx, of, filter));
      return { data: accounts.map((account) => viewLabAccount(knownTo(principal, account))) };
    },
  });
}

/** A Team Management Key is not told of teams that are not its own. */
const knownTo = ({ teamIds }: ManagementPrincipal, account: LabAccount): LabAccount =>
  teamIds === null ? account : { ...account, teamIds: account.teamIds.filter((id) => teamIds.has(id)) };

function changeAllowlist(http: Http, app: App): void {
  http.management.patch('/v1/org/:org_id/lab_account/:env/:region/:account_id', {
    schema: {
      operationId: 'changeLabAccountAllowlist',
      summary: 'Say which teams may order through a lab account',
      description: 'The list is the whole allowlist; an empty one closes the account to every team.',
      tag,
      params: OneAccount,
      body: Allowlist,
      response: { 200: OneLabAccount },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      requireRegion(app, params.region);
      const account = await openToTeams(app, {
        orgId: principal.orgId,
        environment: params.env,
        id: params.account_id,
        teamIds: body.team_id_allowlist,
        by: authorOf({ principal, from }),
      });
      return { lab_account: viewLabAccount(account) };
    },
  });
}
