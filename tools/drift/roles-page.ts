import { MANAGEMENT_OPERATIONS } from '../../packages/server/src/identity/roles/management-operations.ts';
import {
  PERMISSIONS,
  type Permission,
  type PermissionRule,
} from '../../packages/server/src/identity/roles/permissions.ts';
import { ASSIGNABLE_ROLES, type AssignableRole } from '../../packages/server/src/identity/roles/role.ts';
import { TEAM_OPERATIONS } from '../../packages/server/src/identity/roles/team-operations.ts';
import { WEARABLE_OPERATIONS } from '../../packages/server/src/identity/roles/wearable-operations.ts';
import { code, printedFrom, table } from './markdown.ts';

const HEAD = [
  '# Roles of members',
  '',
  printedFrom('identity/roles'),
  '',
  'Members sign in and then call the same operations as keys do, as far as their roles permit. `packages/server/test/member-roles.test.ts`',
  'tries every role on every operation. The service does not start with an operation that is not in this table.',
  '',
  '## Where roles come from',
  '',
  '- `role: org_admin` is an administrator of the whole organization, `team_admin` an administrator of the teams in',
  '  `team_role_bindings`. `no_role` permits nothing.',
  '- `roles` (extension) of a member or an invite adds roles. Each holds in the organization or in one team (`team_id`), in',
  '  both environments or in one (`environment`), for example `readonly` in production and `developer` in sandbox.',
  '- `is_owner` (extension) permits everything. Only owners and Org Management Keys may appoint, change or remove owners.',
  '  The first org_admin who joins an organization without an owner becomes its owner.',
  '- An operation on both environments, such as changing a team, needs a role that holds in both.',
  '',
  'A changed role takes effect within three seconds on every node.',
  '',
  '## Calling with a session',
  '',
  'For the team API, the headers `x-<BRAND>-team-id` and `x-<BRAND>-environment` name the team and the environment. A GET may',
  'name them in the query instead (`session_team_id`, `session_environment`), because an EventSource or a download cannot',
  'send headers. The path of the Management API names the organization and the team. If a request has a key and a session, the',
  'key decides. Idempotency keys, features and logs are as for keys; the logs name the member.',
  '',
  '| response | when |',
  '| --- | --- |',
  '| 401 | There is no session, or it has ended. |',
  '| 403, `code: role_required` | `required_roles` lists the roles that permit the operation. |',
  '| 403, `code: reauthentication_required` | The operation is marked *recent*: authenticate again, then repeat it. |',
  '| 404 | The organization or the team is not one of the member’s. |',
  '',
  '## Permissions',
  '',
  'x: in both environments. *sandbox*: in sandbox only. Owners have every permission. *recent*: the member must have',
  'authenticated within the last 5 minutes; *export*: only for the response as NDJSON.',
  '',
  'Developers see patient data in sandbox only. So in production they may neither create keys nor choose where events, orders',
  'and results are sent. Operations sees no results. Support has only operations whose responses contain no patient data.',
  '',
];

/** docs/reference/roles.md: which role may call which operation. */
export const rolesPage = (): string => {
  const permissions = Object.keys(PERMISSIONS) as Permission[];
  const heads = ['permission', 'may', ...ASSIGNABLE_ROLES, 'recent'];
  const rows = permissions.map((name) => {
    const rule = PERMISSIONS[name];
    return [
      code(name),
      rule.description,
      ...ASSIGNABLE_ROLES.map((role) => cellOf(rule, role)),
      recentCell(rule),
    ];
  });
  const operations = permissions.map((name) => [code(name), operationsOf(name).map(code).join(', ')]);
  return [
    ...HEAD,
    table(heads, rows),
    '',
    '## Operations',
    '',
    table(['permission', 'operations'], operations),
    '',
  ].join('\n');
};

function cellOf({ roles, sandboxRoles }: PermissionRule, role: AssignableRole): string {
  if (roles.includes(role)) return 'x';
  return sandboxRoles.includes(role) ? '*sandbox*' : '';
}

const recentCell = ({ recent }: PermissionRule): string =>
  recent === 'export' ? '*export*' : recent ? '*recent*' : '';

const operationsOf = (permission: Permission): string[] =>
  [TEAM_OPERATIONS, WEARABLE_OPERATIONS, MANAGEMENT_OPERATIONS].flatMap((operations) =>
    (operations[permission] ?? '').trim().split(/\s+/).filter(Boolean),
  );
