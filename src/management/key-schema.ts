import { z } from 'zod';
import { isoMoment } from '../platform/clock.ts';
import { GivenMoment } from '../platform/given-moments.ts';
import { AREAS } from './areas.ts';
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

const ExpiresAt = GivenMoment.nullish().describe('On the clock of the environment; null: never.');

const ExpiresOnWall = ExpiresAt.describe('On the clock of the service; null: never.');

export const CreateTeamKey = z
  .object({
    label: Label,
    team_id: z.guid(),
    expires_at: ExpiresAt,
    read_only: z.boolean().nullish().describe('The key may only GET.'),
    areas: z
      .array(z.enum(AREAS))
      .min(1)
      .max(AREAS.length)
      .nullish()
      .describe('The key is kept to these areas of the team API; null: all.'),
  })
  .meta({ id: 'CreateTeamAPIKeyBody' });

const OVERLAP_HOURS_MAX = 720;

const OverlapHours = z
  .int()
  .min(0)
  .max(OVERLAP_HOURS_MAX)
  .default(24)
  .describe('How long the old key goes on, on the clock of the service.');

export const RotateTeamKey = z
  .object({
    overlap_hours: OverlapHours.describe('How long the old key goes on, on the clock of the environment.'),
    expires_at: ExpiresAt,
  })
  .meta({ id: 'RotateTeamAPIKeyBody' })
  .prefault({});

/** The moment that a body names; undefined where it says nothing. */
export const momentOf = (text: string | null | undefined): Date | null | undefined =>
  text ? new Date(text) : (text as null | undefined);

export const TeamKeyView = z
  .object({
    id: z.uuid(),
    label: z.string(),
    value: z.string().describe('The whole key in the answer to its creation, and masked ever after.'),
    team_id: z.uuid(),
    created_at: Moment,
    last_used_at: Moment.nullable().describe('Written down within seconds of the use.'),
    expires_at: Moment.nullable(),
    read_only: z.boolean(),
    areas: z.array(z.string()).nullable(),
    replaced_by: z.uuid().nullable().describe('The key that took its place, if it was rotated.'),
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
  last_used_at: key.last_used_at && isoMoment(key.last_used_at),
  expires_at: key.expires_at && isoMoment(key.expires_at),
  read_only: key.read_only,
  areas: key.areas,
  replaced_by: key.replaced_by,
});

export const viewMadeTeamKey = (key: MadeTeamKey): z.input<typeof TeamKeyView> => ({
  ...viewTeamKey(key),
  value: key.value,
});

export const RoleName = z.enum(['org_admin', 'team_admin']);
export const TeamBinding = z.object({ team_id: z.guid() }).meta({ id: 'TeamRoleBinding' });
const Bindings = z.array(TeamBinding).max(1000).nullish();

export const CreateManagementKey = z
  .object({ label: Label, role: RoleName, team_role_bindings: Bindings, expires_at: ExpiresOnWall })
  .meta({ id: 'CreateManagementKeyBody' });

export const RotateManagementKey = z
  .object({ overlap_hours: OverlapHours, expires_at: ExpiresOnWall })
  .meta({ id: 'RotateManagementKeyBody' })
  .prefault({});

export const ChangeManagementKey = z
  .object({ label: Label.nullish(), team_role_bindings: Bindings })
  .meta({ id: 'PatchManagementKeyBody' });

export const teamIdsOf = (bindings: z.output<typeof Bindings>): string[] | undefined =>
  bindings?.map(({ team_id: id }) => id);

/** Keys are made with keys, or by the service at its first start: the two of the contract's creators that we know. */
export const Creator = z.union([
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
  last_used_at: Moment.nullable().describe('Ours. Written down within seconds of the use.'),
  expires_at: Moment.nullable().describe('Ours.'),
  replaced_by: z.uuid().nullable().describe('Ours. The key that took its place, if it was rotated.'),
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
  last_used_at: key.last_used_at && isoMoment(key.last_used_at),
  expires_at: key.expires_at && isoMoment(key.expires_at),
  replaced_by: key.replaced_by,
});

export const viewMadeManagementKey = (key: MadeManagementKey): z.input<typeof MadeManagementKeyView> => ({
  ...viewManagementKey(key),
  key: key.key,
});
