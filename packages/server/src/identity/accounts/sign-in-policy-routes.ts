import { z } from 'zod';
import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { Http } from '../../platform/http/http.ts';
import { actorOf, requireOrgKey } from '../management/management.ts';
import { changePolicy, readPolicy, type SignInPolicy } from './sign-in-policy.ts';

const tag = 'Accounts';
const PATH = '/v1/org/:org_id/sign_in_policy';
const OrgId = z.object({ org_id: z.guid() });

const SignInPolicyView = z
  .object({
    require_second_factor: z
      .boolean()
      .describe('Whether members without a second factor must enroll one before they get a session.'),
  })
  .meta({ id: 'SignInPolicy' });
const ChangeSignInPolicy = z
  .object({
    require_second_factor: z.boolean().nullish().describe('Null or omitted keeps it.'),
  })
  .meta({ id: 'ChangeSignInPolicy' });

const toPolicyView = ({ requireSecondFactor }: SignInPolicy): z.input<typeof SignInPolicyView> => ({
  require_second_factor: requireSecondFactor,
});

/** How the members of an organization must sign in. */
export function signInPolicyRoutes(http: Http, app: App): void {
  http.management.get(PATH, {
    schema: {
      operationId: 'getSignInPolicy',
      summary: 'Get the sign-in policy',
      description: 'Extension. How the members of the organization must sign in.',
      tag,
      params: OrgId,
      response: { 200: SignInPolicyView },
    },
    handler: async ({ principal, params }) => {
      requireOrgKey(principal, params.org_id);
      return toPolicyView(await asSystem(app.db, (tx) => readPolicy(tx, principal.orgId)));
    },
  });

  http.management.patch(PATH, {
    schema: {
      operationId: 'changeSignInPolicy',
      summary: 'Change the sign-in policy',
      description:
        'Extension. Requiring a second factor ends the sessions of members without one; they enroll one when they ' +
        'sign in next. 409 for a member who has none.',
      tag,
      params: OrgId,
      body: ChangeSignInPolicy,
      response: { 200: SignInPolicyView },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      const changed = await changePolicy(app, {
        orgId: principal.orgId,
        requireSecondFactor: body.require_second_factor ?? undefined,
        memberId: principal.member?.memberId,
        by: actorOf({ principal, from }),
      });
      return toPolicyView(changed);
    },
  });
}
