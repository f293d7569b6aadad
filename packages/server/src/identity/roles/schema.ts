import { z } from 'zod';
import { ENVIRONMENTS } from '../../platform/tenant.ts';
import { ASSIGNABLE_ROLES, ROLES } from './role.ts';

const ROLES_MAX = 1000;

const MemberRoleBinding = z
  .object({
    role: z
      .enum(ASSIGNABLE_ROLES)
      .describe('Extension. What the member may do; the reference of roles has the details.'),
    team_id: z
      .guid()
      .transform((id) => id.toLowerCase())
      .nullish()
      .transform((id) => id ?? null)
      .describe('Extension. The team in which the role holds; null or omitted: the whole organization.'),
    environment: z
      .enum(ENVIRONMENTS)
      .nullish()
      .transform((environment) => environment ?? null)
      .describe('Extension. The environment in which the role holds; null or omitted: both.'),
  })
  .meta({ id: 'MemberRoleBinding' });

export const MemberRoleBindings = z.array(MemberRoleBinding).max(ROLES_MAX);

const place = {
  team_id: z
    .uuid()
    .nullable()
    .describe('Extension. The team in which the role holds; null: the whole organization.'),
  environment: z.enum(ENVIRONMENTS).nullable().describe('Extension. The environment; null: both.'),
};

const MemberRoleBindingView = z
  .object({
    role: z.enum(ASSIGNABLE_ROLES).describe('Extension. What the member may do.'),
    ...place,
  })
  .meta({ id: 'MemberRoleBindingView' });

export const MemberRoleBindingViews = z.array(MemberRoleBindingView);

const DirectoryRoleView = z
  .object({ role: z.enum(ROLES).describe('Extension. What the member may do.'), ...place })
  .meta({ id: 'DirectoryRoleView' });

const DirectoryRoleBinding = MemberRoleBinding.extend({
  role: z.enum(ROLES).describe('Extension. What the members of the group may do; `owner` is all.'),
})
  .refine(
    ({ role, team_id: teamId, environment }) => role !== 'owner' || (teamId === null && environment === null),
    'An owner owns the whole organization: omit team_id and environment',
  )
  .meta({ id: 'DirectoryRoleBinding' });

export const DirectoryRoleBindings = z.array(DirectoryRoleBinding).max(ROLES_MAX);

export const DirectoryRoleViews = z.array(DirectoryRoleView);
