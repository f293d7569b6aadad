import { z } from 'zod';
import { DirectoryRoleViews, MemberRoleBindings, MemberRoleBindingViews } from '../roles/schema.ts';
import { Creator, TeamBinding } from '../management/management.ts';
import { Email } from '../../people/schema.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import { PageCursor } from '../../platform/http/page.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { parseDomainName, toVerificationRecord } from './domain-name.ts';
import type { DomainRow } from './domain-store.ts';
import type { InviteRow } from './invite-store.ts';
import type { OrgMemberRow } from './member-store.ts';

const TEAMS_MAX = 1000;

export const OrgId = z.object({ org_id: z.guid() });
export const MemberId = OrgId.extend({ member_id: z.guid() });
export const InviteId = OrgId.extend({ invite_id: z.guid() });
export const DomainId = OrgId.extend({ domain_id: z.guid() });

const MemberRoleName = z.enum(['org_admin', 'team_admin', 'no_role']);
const TeamBindings = z.array(TeamBinding).max(TEAMS_MAX);

/** The ids of the teams, or undefined for an omitted field. */
export const teamIdsOf = (bindings: z.output<typeof TeamBindings> | null | undefined): string[] | undefined =>
  bindings?.map(({ team_id: id }) => id);

const toTeamBindings = (ids: readonly string[]) => ids.map((id) => ({ team_id: id }));

/** Lower case, because one address identifies one person, whatever the spelling. */
export const LowerCaseEmail = Email.transform((text) => text.toLowerCase());

export const DisplayName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'expected no control characters');

/** The characters that the contract allows, and those of e-mail addresses. */
const SEARCH = /^[A-Za-zÀ-ÖØ-öø-ÿ0-9(),/:'|&_\-\s’@.+]{0,254}$/;

export const MemberQuery = z.object({
  search_query: z
    .string()
    .regex(SEARCH, "expected at most 254 letters, digits and ( ) , / : ' | & _ - @ . +")
    .nullish()
    .describe('A part of the name or of the e-mail address.'),
  next_cursor: PageCursor,
});

export const InviteQuery = z.object({
  search_query: z.string().max(254).nullish().describe('A part of the e-mail address.'),
  next_cursor: PageCursor,
});

const roleViews = {
  is_owner: z
    .boolean()
    .describe('Extension. Whether the member owns the organization and may do everything.'),
  roles: MemberRoleBindingViews.describe('Extension. Roles beside `role`, bound to teams and environments.'),
};

const roleChanges = {
  is_owner: z
    .boolean()
    .nullish()
    .describe('Extension. Requires the role org_admin; only owners and Org Management Keys may change it.'),
  roles: MemberRoleBindings.nullish().describe(
    'Extension. Roles beside `role`, bound to teams and environments. Null or omitted keeps them.',
  ),
};

const member = {
  id: z.uuid(),
  name: z.string(),
  email: z.string(),
  created_on: Timestamp,
  role: MemberRoleName,
  team_role_bindings: z.array(TeamBinding).nullable(),
  ...roleViews,
  is_active: z
    .boolean()
    .describe('Extension. False: the member has no access, and keeps the roles for when it is true again.'),
  directory_roles: DirectoryRoleViews.describe('Extension. Roles from groups of the directory, in addition.'),
};
export const MemberView = z.object(member).meta({ id: 'ClientFacingOrgMember' });
export const MemberList = z
  .object({ members: z.array(MemberView), next_cursor: z.string().nullable() })
  .meta({ id: 'ClientFacingOrgMemberListResponse' });

export const ChangeMember = z
  .object({
    role: MemberRoleName.nullable().describe('The new role; null keeps it.'),
    team_role_bindings: TeamBindings.nullable().describe(
      'The teams of a team_admin; null keeps them. Members with another role have none.',
    ),
    ...roleChanges,
    is_active: z
      .boolean()
      .nullish()
      .describe(
        'Extension. False ends sessions, links and tokens of the member and takes away all access; the roles are ' +
          'kept. Null or omitted keeps it.',
      ),
  })
  .meta({ id: 'UpdateOrgMemberBody' });

export const viewMember = (row: OrgMemberRow): z.input<typeof MemberView> => ({
  id: row.id,
  name: row.name,
  email: row.email,
  created_on: isoTimestamp(row.created_at),
  role: row.role,
  team_role_bindings: row.role === 'team_admin' ? toTeamBindings(row.team_ids) : null,
  is_owner: row.is_owner,
  roles: [...row.roles],
  is_active: row.deactivated_at === null,
  directory_roles: [...row.directory_roles],
});

export const CreateInvite = z
  .object({
    email: LowerCaseEmail.describe('The e-mail address to invite.'),
    role: MemberRoleName.default('org_admin').describe('The role of the new member.'),
    team_role_bindings: TeamBindings.nullish().describe('The teams of a team_admin; other roles have none.'),
    ...roleChanges,
  })
  .meta({ id: 'OrgInviteAPICreate' });

export const CreatedInvite = z
  .object({
    status: z.enum(['invite_created', 'invite_resent', 'already_in_org']),
    invite_url: z
      .string()
      .nullable()
      .describe('Extension. The link of the invite, where no mail server is configured; shown only once.'),
    expires_at: Timestamp.nullable().describe('Extension. When the link expires.'),
  })
  .meta({ id: 'OrgInviteAPICreateResponse' });

const InviteView = z
  .object({
    id: z.uuid(),
    email: z.string(),
    invited_at: Timestamp,
    resent_at: Timestamp.nullable(),
    creator: Creator,
    role: MemberRoleName,
    team_role_bindings: z.array(TeamBinding).nullable(),
    ...roleViews,
    expires_at: Timestamp.describe('Extension. When its link expires.'),
  })
  .meta({ id: 'ClientFacingOrgInvite' });
export const InviteList = z
  .object({ invites: z.array(InviteView), next_cursor: z.string().nullable() })
  .meta({ id: 'ClientFacingOrgInviteListResponse' });

export const viewInvite = (row: InviteRow): z.input<typeof InviteView> => ({
  id: row.id,
  email: row.email,
  invited_at: isoTimestamp(row.invited_at),
  resent_at: row.resent_at && isoTimestamp(row.resent_at),
  creator: { type: row.created_by === null ? 'vital_staff' : 'management_key' },
  role: row.role,
  team_role_bindings: row.role === 'team_admin' ? toTeamBindings(row.team_ids) : null,
  is_owner: row.is_owner,
  roles: [...row.roles],
  expires_at: isoTimestamp(row.expires_at),
});

export const AcceptInvite = z.object({
  token: z.string().min(1).max(200),
  name: DisplayName,
  password: z.string().min(12).max(200).nullish(),
});
export const AcceptedInvite = z
  .object({ organization: z.object({ id: z.uuid(), name: z.string() }), member: MemberView })
  .meta({ id: 'AcceptedInvite' });

export const DomainName = z.string().trim().max(300).transform(parseDomainName);

export const CreateDomain = z
  .object({
    domain: DomainName.describe(
      'The domain, as `example.com`; internationalized names are converted to punycode.',
    ),
  })
  .meta({ id: 'CreateOrgDomainBody' });

const DnsRecord = z.object({ type: z.string(), name: z.string(), value: z.string() });

export const DomainView = z
  .object({
    id: z.uuid(),
    domain: z.string(),
    is_verified: z.boolean(),
    created_on: Timestamp,
    dns_records: z.array(DnsRecord).nullable(),
    status: z
      .enum(['pending', 'verified', 'failed'])
      .describe('Extension. `failed`: the record exists with another value.'),
    checked_on: Timestamp.nullable().describe('Extension. When the record was last looked up.'),
  })
  .meta({ id: 'ClientFacingOrgDomain' });
export const DomainList = z.object({ data: z.array(DomainView) }).meta({ id: 'ListOrgDomainResponse' });

export const viewDomain = (brand: string, row: DomainRow): z.input<typeof DomainView> => ({
  id: row.id,
  domain: row.domain,
  is_verified: row.status === 'verified',
  created_on: isoTimestamp(row.created_at),
  dns_records: [toVerificationRecord(brand, row)],
  status: row.status,
  checked_on: row.checked_at && isoTimestamp(row.checked_at),
});

export const VerifiedDomain = z
  .object({
    status: z.enum(['verified', 'pending']),
    detail: z.string().nullable().describe('Extension. What is missing.'),
  })
  .meta({ id: 'VerifyOrgDomainResponse' });

export const SendInstructions = z
  .object({ to_email: Email.describe('The address to send the instructions to.') })
  .meta({ id: 'SendOrgDomainInstructionsBody' });
export const SentInstructions = z
  .object({
    sent: z.boolean().describe('False where no mail server is configured.'),
    sendgrid_message_id: z.string().nullable(),
  })
  .meta({ id: 'SendOrgDomainInstructionsResponse' });

export const Success = z.object({ success: z.boolean() });
