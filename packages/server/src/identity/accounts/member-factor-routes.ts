import { z } from 'zod';
import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { Http } from '../../platform/http/http.ts';
import { findFactors } from '../factors/factors.ts';
import { actorOf, requireOrgKey } from '../management/management.ts';
import { mayChangeOwners, requireMemberOf } from '../organizations/organizations.ts';
import { FactorsView, toFactorsView } from './factor-schema.ts';
import { removeFactorsOf } from './remove-factors.ts';

const tag = 'Accounts';
const PATH = '/v1/org/:org_id/member/:member_id/second_factor';
const MemberPath = z.object({ org_id: z.guid(), member_id: z.guid() });

/** The second factors of a member, for administrators: whether there are any, and removing them. */
export function memberFactorRoutes(http: Http, app: App): void {
  http.management.get(PATH, {
    schema: {
      operationId: 'getMemberSecondFactor',
      summary: 'Get the second factors of a member',
      description: 'Extension. What a member of the organization has enrolled, without any secret.',
      tag,
      params: MemberPath,
      response: { 200: FactorsView },
    },
    handler: async ({ principal, params }) => {
      requireOrgKey(principal, params.org_id);
      return asSystem(app.db, async (tx) => {
        const { id } = await requireMemberOf(tx, principal.orgId, params.member_id);
        return toFactorsView(await findFactors(tx, id));
      });
    },
  });

  http.management.delete(PATH, {
    schema: {
      operationId: 'removeMemberSecondFactor',
      summary: 'Remove the second factors of a member',
      description:
        'Extension. For a member who lost them. Ends the sessions of the member, who is told by e-mail. A member who is ' +
        'not an owner cannot do this for an owner: 403.',
      tag,
      params: MemberPath,
      response: { 204: null },
    },
    handler: async ({ principal, from, params }) => {
      requireOrgKey(principal, params.org_id);
      await removeFactorsOf(app, {
        orgId: principal.orgId,
        memberId: params.member_id,
        mayChangeOwners: mayChangeOwners(principal),
        by: actorOf({ principal, from }),
      });
    },
  });
}
