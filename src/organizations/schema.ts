import { z } from 'zod';
import { Creator, TeamBinding } from '../management/management.ts';
import { Email } from '../people/schema.ts';
import { isoMoment } from '../platform/clock.ts';
import { domainName, recordOf } from './domain-name.ts';
import type { DomainRow } from './domain-store.ts';
import type { InviteRow } from './invite-store.ts';
import type { MemberRow } from './member-store.ts';

const TEAMS_MAX = 1000;
const Moment = z.iso.datetime({ offset: true });

export const OrgId = z.object({ org_id: z.guid() });
export const MemberId = OrgId.extend({ member_id: z.guid() });
export const InviteId = OrgId.extend({ invite_id: z.guid() });
export const DomainId = OrgId.extend({ domain_id: z.guid() });

export const MemberRoleName = z.enum(['org_admin', 'team_admin', 'no_role']);
export const Bindings = z.array(TeamBinding).max(TEAMS_MAX);

/** The ids of the teams, or undefined where nothing was said of them. */
export const teamIdsOf = (bindings: z.output<typeof Bindings> | null | undefined): string[] | undefined =>
  bindings?.map(({ team_id: id }) => id);

export const bindingsOf = (ids: readonly string[]) => ids.map((id) => ({ team_id: id }));

/** One address is one person, however it is written. */
export const Address = Email.transform((text) => text.toLowerCase());

export const PersonLabel = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'expected no control characters');

/** What the contract takes, and what else stands in an e-mail address. */
const SEARCH = /^[A-Za-zÀ-ÖØ-öø-ÿ0-9(),/:'|&_\-\s’@.+]{0,254}$/;

export const MemberQuery = z.object({
  search_query: z
    .string()
    .regex(SEARCH, "expected at most 254 letters, digits and ( ) , / : ' | & _ - @ . +")
    .nullish()
    .describe('A part of the name or of the e-mail address.'),
  next_cursor: z.string().max(200).nullish(),
});

export const InviteQuery = z.object({
  search_query: z.string().max(254).nullish().describe('A part of the e-mail address.'),
  next_cursor: z.string().max(200).nullish(),
});

const member = {
  id: z.uuid(),
  name: z.string(),
  email: z.string(),
  created_on: Moment,
  role: MemberRoleName,
  team_role_bindings: z.array(TeamBinding).nullable(),
};
export const MemberView = z.object(member).meta({ id: 'ClientFacingOrgMember' });
export const MemberList = z
  .object({ members: z.array(MemberView), next_cursor: z.string().nullable() })
  .meta({ id: 'ClientFacingOrgMemberListResponse' });

export const ChangeMember = z
  .object({
    role: MemberRoleName.nullable().describe('null leaves it as it is.'),
    team_role_bindings: Bindings.nullable().describe(
      'The teams of a team_admin; null leaves them as they are, and a member who is made something else has none.',
    ),
  })
  .meta({ id: 'UpdateOrgMemberBody' });

export const viewMember = (row: MemberRow): z.input<typeof MemberView> => ({
  id: row.id,
  name: row.name,
  email: row.email,
  created_on: isoMoment(row.created_at),
  role: row.role,
  team_role_bindings: row.role === 'team_admin' ? bindingsOf(row.team_ids) : null,
});

export const CreateInvite = z
  .object({
    email: Address,
    role: MemberRoleName.default('org_admin'),
    team_role_bindings: Bindings.nullish(),
  })
  .meta({ id: 'OrgInviteAPICreate' });

export const MadeInvite = z
  .object({
    status: z.enum(['invite_created', 'invite_resent', 'already_in_org']),
    invite_url: z
      .string()
      .nullable()
      .describe(
        'Ours. The link of the invite, where no mail server is connected to send it; shown here only.',
      ),
    expires_at: Moment.nullable().describe('Ours. Until when the link can be used.'),
  })
  .meta({ id: 'OrgInviteAPICreateResponse' });

export const InviteView = z
  .object({
    id: z.uuid(),
    email: z.string(),
    invited_at: Moment,
    resent_at: Moment.nullable(),
    creator: Creator,
    role: MemberRoleName,
    team_role_bindings: z.array(TeamBinding).nullable(),
    expires_at: Moment.describe('Ours. Until when its link can be used.'),
  })
  .meta({ id: 'ClientFacingOrgInvite' });
export const InviteList = z
  .object({ invites: z.array(InviteView), next_cursor: z.string().nullable() })
  .meta({ id: 'ClientFacingOrgInviteListResponse' });

export const viewInvite = (row: InviteRow): z.input<typeof InviteView> => ({
  id: row.id,
  email: row.email,
  invited_at: isoMoment(row.invited_at),
  resent_at: row.resent_at && isoMoment(row.resent_at),
  creator: { type: row.created_by === null ? 'vital_staff' : 'management_key' },
  role: row.role,
  team_role_bindings: row.role === 'team_admin' ? bindingsOf(row.team_ids) : null,
  expires_at: isoMoment(row.expires_at),
});

export const AcceptInvite = z.object({ token: z.string().min(1).max(200), name: PersonLabel });
export const AcceptedInvite = z
  .object({ organization: z.object({ id: z.uuid(), name: z.string() }), member: MemberView })
  .meta({ id: 'AcceptedInvite' });

export const CreateDomain = z
  .object({ domain: z.string().trim().max(300).transform(domainName) })
  .meta({ id: 'CreateOrgDomainBody' });

const DnsRecord = z.object({ type: z.string(), name: z.string(), value: z.string() });

export const DomainView = z
  .object({
    id: z.uuid(),
    domain: z.string(),
    is_verified: z.boolean(),
    created_on: Moment,
    dns_records: z.array(DnsRecord).nullable(),
    status: z
      .enum(['pending', 'verified', 'failed'])
      .describe('Ours. `failed`: the record was found, and said something else.'),
    checked_on: Moment.nullable().describe('Ours. When the record was last looked for.'),
  })
  .meta({ id: 'ClientFacingOrgDomain' });
export const DomainList = z.object({ data: z.array(DomainView) }).meta({ id: 'ListOrgDomainResponse' });

export const viewDomain = (brand: string, row: DomainRow): z.input<typeof DomainView> => ({
  id: row.id,
  domain: row.domain,
  is_verified: row.status === 'verified',
  created_on: isoMoment(row.created_at),
  dns_records: [recordOf(brand, row)],
  status: row.status,
  checked_on: row.checked_at && isoMoment(row.checked_at),
});

export const VerifiedDomain = z
  .object({
    status: z.enum(['verified', 'pending']),
    detail: z.string().nullable().describe('Ours. What is missing.'),
  })
  .meta({ id: 'VerifyOrgDomainResponse' });

export const SendInstructions = z.object({ to_email: Email }).meta({ id: 'SendOrgDomainInstructionsBody' });
export const SentInstructions = z
  .object({
    sent: z.boolean().describe('False where no mail server is connected.'),
    sendgrid_message_id: z.string().nullable(),
  })
  .meta({ id: 'SendOrgDomainInstructionsResponse' });

export const Success = z.object({ success: z.boolean() });
