import { z } from 'zod';
import { isoMoment } from '../platform/clock.ts';
import type { ManagementKeyRow, TeamKeyRow } from './key-store.ts';
import { masked } from './keys.ts';
import type { MadeManagementKey } from './management-keys.ts';
import type { MadeTeamKey } from './team-keys.ts';

const Moment = z.iso.datetime({ offset: true });

/** A name that a person reads. */
export const Label = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'expected no control characters');

export const CreateTeamKey = z
  .object({ label: Label, team_id: z.guid() })
  .meta({ id: 'CreateTeamAPIKeyBody' });

export const TeamKeyView = z
  .object({
    id: z.uuid(),
    label: z.string(),
    value: z.string().describe('The whole key in the answer to its creation, and masked ever after.'),
    team_id: z.uuid(),
    created_at: Moment,
  })
  .meta({ id: 'ClientFacingTeamAPIKey' });

export const TeamKeyList = z
  .object({ api_keys: z.array(TeamKeyView), next_cursor: z.string().nullable() })
  .meta({ id: 'ClientFacingTeamAPIKeyResponse' });

export const RevokedTeamKeys = z
  .object({ success: z.array(z.uuid()), failure: z.array(z.uuid()), not_found: z.array(z.guid()) })
  .meta({ id: 'DeleteTeamApiKeysResponse' });

export const viewTeamKey = (key: TeamKeyRow): z.input<typeof TeamKeyView> => ({
  id: key.id,
  label: key.label,
  value: masked(key.prefix),
  team_id: key.team_id,
  created_at: isoMoment(key.created_at),
});

export const viewMadeTeamKey = (key: MadeTeamKey): z.input<typeof TeamKeyView> => ({
  id: key.id,
  label: key.label,
  value: key.value,
  team_id: key.teamId,
  created_at: isoMoment(key.createdAt),
});

export const RoleName = z.enum(['org_admin', 'team_admin']);
const TeamBinding = z.object({ team_id: z.guid() }).meta({ id: 'TeamRoleBinding' });
const Bindings = z.array(TeamBinding).max(1000).nullish();

export const CreateManagementKey = z
  .object({ label: Label, role: RoleName, team_role_bindings: Bindings })
  .meta({ id: 'CreateManagementKeyBody' });

export const ChangeManagementKey = z
  .object({ label: Label.nullish(), team_role_bindings: Bindings })
  .meta({ id: 'PatchManagementKeyBody' });

export const teamIdsOf = (bindings: z.output<typeof Bindings>): string[] | undefined =>
  bindings?.map(({ team_id: id }) => id);

/** Keys are made with keys, or by the service at its first start: the two of the contract's creators that we know. */
const Creator = z.union([
  z.object({ type: z.literal('management_key') }).meta({ id: 'CreatorManagementKey' }),
  z.object({ type: z.literal('vital_staff') }).meta({ id: 'CreatorServiceStaff' }),
]);

const managementKey = {
  id: z.uuid(),
  label: z.string(),
  created_at: Moment,
  creator: Creator,
  role: RoleName,
  team_role_bindings: z.array(TeamBinding).nullable(),
};

export const ManagementKeyView = z.object(managementKey).meta({ id: 'ClientFacingManagementKey' });

export const MadeManagementKeyView = z
  .object({ ...managementKey, key: z.string().describe('The whole key, shown here only.') })
  .meta({ id: 'ClientFacingManagementKeyUnhashed' });

export const ManagementKeyList = z
  .object({ data: z.array(ManagementKeyView), next_cursor: z.string().nullable() })
  .meta({ id: 'ClientFacingManagementKeyResponse' });

export const viewManagementKey = (key: ManagementKeyRow): z.input<typeof ManagementKeyView> => ({
  id: key.id,
  label: key.label,
  created_at: isoMoment(key.created_at),
  creator: { type: key.created_by === null ? 'vital_staff' : 'management_key' },
  role: key.role,
  team_role_bindings: key.role === 'org_admin' ? null : key.team_ids.map((id) => ({ team_id: id })),
});

export const viewMadeManagementKey = (key: MadeManagementKey): z.input<typeof MadeManagementKeyView> => ({
  ...viewManagementKey(key),
  key: key.key,
});
