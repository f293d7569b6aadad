import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { TimestampInput } from '../../platform/timestamp-input.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { API_AREAS } from './api-areas.ts';
import type { ManagementKeyRow, TeamKeyRow } from './key-store.ts';
import { maskKey } from './keys.ts';
import type { CreatedManagementKey } from './management-keys.ts';
import type { CreatedTeamKey } from './team-keys.ts';

/** A name for people. */
export const Label = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'expected no control characters');

const ExpiresAt = TimestampInput.nullish().describe(
  'When the key expires, on the clock of the environment; null: never.',
);

const ExpiresAtSystemTime = ExpiresAt.describe('When the key expires, in system time; null: never.');

export const CreateTeamKeyBody = z
  .object({
    label: Label.describe('A name for the key, 1 to 200 characters.'),
    team_id: z.guid().describe('The team of the key.'),
    expires_at: ExpiresAt,
    read_only: z.boolean().nullish().describe('Whether the key permits only GET requests; default false.'),
    areas: z
      .array(z.enum(API_AREAS))
      .min(1)
      .max(API_AREAS.length)
      .nullish()
      .describe('The areas of the team API to which the key is restricted; null: all.'),
    assistants: z
      .boolean()
      .nullish()
      .describe(
        'Whether assistants may read with the key in production; default false. Such a key has to be `read_only`. ' +
          'It has no effect in the sandbox, where assistants may use every key.',
      ),
  })
  .meta({ id: 'CreateTeamAPIKeyBody' });

const OVERLAP_HOURS_MAX = 720;

const OverlapHours = z
  .int()
  .min(0)
  .max(OVERLAP_HOURS_MAX)
  .default(24)
  .describe('How many hours the old key stays valid, in system time; 0 to 720.');

export const RotateTeamKeyBody = z
  .object({
    overlap_hours: OverlapHours.describe(
      'How many hours the old key stays valid, on the clock of the environment; 0 to 720.',
    ),
    expires_at: ExpiresAt,
  })
  .meta({ id: 'RotateTeamAPIKeyBody' })
  .prefault({});

/** The timestamp in a body; undefined for an omitted field. */
export const parseExpiry = (text: string | null | undefined): Date | null | undefined =>
  text ? new Date(text) : (text as null | undefined);

export const TeamKeyView = z
  .object({
    id: z.uuid(),
    label: z.string(),
    value: z
      .string()
      .describe('The full key in the response to its creation; masked in all other responses.'),
    team_id: z.uuid(),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable().describe('Saved within seconds of the use.'),
    expires_at: Timestamp.nullable(),
    read_only: z.boolean(),
    areas: z.array(z.string()).nullable(),
    assistants: z.boolean().describe('Extension. Whether assistants may read with it in production.'),
    replaced_by: z.uuid().nullable().describe('The id of the key that replaces it, if it was rotated.'),
  })
  .meta({ id: 'ClientFacingTeamAPIKey' });

export const TeamKeyList = z
  .object({ api_keys: z.array(TeamKeyView), next_cursor: z.string().nullable() })
  .meta({ id: 'ClientFacingTeamAPIKeyResponse' });

export const RevokedTeamKeysView = z
  .object({ success: z.array(z.uuid()), failure: z.array(z.uuid()), not_found: z.array(z.guid()) })
  .meta({ id: 'DeleteTeamApiKeysResponse' });

export const toTeamKeyView = (key: TeamKeyRow): z.input<typeof TeamKeyView> => ({
  id: key.id,
  label: key.label,
  value: maskKey(key.prefix),
  team_id: key.team_id,
  created_at: isoTimestamp(key.created_at),
  last_used_at: key.last_used_at && isoTimestamp(key.last_used_at),
  expires_at: key.expires_at && isoTimestamp(key.expires_at),
  read_only: key.read_only,
  areas: key.areas,
  assistants: key.assistants,
  replaced_by: key.replaced_by,
});

export const toCreatedTeamKeyView = (key: CreatedTeamKey): z.input<typeof TeamKeyView> => ({
  ...toTeamKeyView(key),
  value: key.value,
});

export const RoleName = z.enum(['org_admin', 'team_admin']);
export const TeamBinding = z
  .object({ team_id: z.guid().describe('A team of the organization.') })
  .meta({ id: 'TeamRoleBinding' });
const TeamBindings = z
  .array(TeamBinding)
  .max(1000)
  .nullish()
  .describe('The teams of a team_admin key; omit for an org_admin key.');

export const CreateManagementKeyBody = z
  .object({
    label: Label.describe('A name for the key, 1 to 200 characters.'),
    role: RoleName.describe('`org_admin` for the whole organization, `team_admin` for the bound teams.'),
    team_role_bindings: TeamBindings,
    expires_at: ExpiresAtSystemTime,
  })
  .meta({ id: 'CreateManagementKeyBody' });

export const RotateManagementKeyBody = z
  .object({ overlap_hours: OverlapHours, expires_at: ExpiresAtSystemTime })
  .meta({ id: 'RotateManagementKeyBody' })
  .prefault({});

export const ChangeManagementKeyBody = z
  .object({
    label: Label.nullish().describe('The new name; null keeps it.'),
    team_role_bindings: TeamBindings.describe('The new teams of a team_admin key; null keeps them.'),
  })
  .meta({ id: 'PatchManagementKeyBody' });

export const teamIdsOf = (bindings: z.output<typeof TeamBindings>): string[] | undefined =>
  bindings?.map(({ team_id: id }) => id);

/**
 * Keys are created with keys, or by the service at its first start: the two creators of the contract that exist here.
 */
export const Creator = z.union([
  z.object({ type: z.literal('management_key') }).meta({ id: 'CreatorManagementKey' }),
  z.object({ type: z.literal('vital_staff') }).meta({ id: 'CreatorServiceStaff' }),
]);

const managementKey = {
  id: z.uuid(),
  label: z.string(),
  created_at: Timestamp,
  creator: Creator,
  role: RoleName,
  team_role_bindings: z.array(TeamBinding).nullable(),
  last_used_at: Timestamp.nullable().describe('Extension. Saved within seconds of the use.'),
  expires_at: Timestamp.nullable().describe('Extension. In system time; null: never.'),
  replaced_by: z
    .uuid()
    .nullable()
    .describe('Extension. The id of the key that replaces it, if it was rotated.'),
};

export const ManagementKeyView = z.object(managementKey).meta({ id: 'ClientFacingManagementKey' });

export const CreatedManagementKeyView = z
  .object({ ...managementKey, key: z.string().describe('The full key; returned only in this response.') })
  .meta({ id: 'ClientFacingManagementKeyUnhashed' });

export const ManagementKeyList = z
  .object({ data: z.array(ManagementKeyView), next_cursor: z.string().nullable() })
  .meta({ id: 'ClientFacingManagementKeyResponse' });

export const toManagementKeyView = (key: ManagementKeyRow): z.input<typeof ManagementKeyView> => ({
  id: key.id,
  label: key.label,
  created_at: isoTimestamp(key.created_at),
  creator: { type: key.created_by === null ? 'vital_staff' : 'management_key' },
  role: key.role,
  team_role_bindings: key.role === 'org_admin' ? null : key.team_ids.map((id) => ({ team_id: id })),
  last_used_at: key.last_used_at && isoTimestamp(key.last_used_at),
  expires_at: key.expires_at && isoTimestamp(key.expires_at),
  replaced_by: key.replaced_by,
});

export const toCreatedManagementKeyView = (
  key: CreatedManagementKey,
): z.input<typeof CreatedManagementKeyView> => ({
  ...toManagementKeyView(key),
  key: key.key,
});
