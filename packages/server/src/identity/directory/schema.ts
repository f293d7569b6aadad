import { z } from 'zod';
import { DirectoryRoleBindings, DirectoryRoleViews } from '../roles/schema.ts';
import { DisplayName } from '../organizations/organizations.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import { PageCursor } from '../../platform/http/page.ts';
import { TimestampInput } from '../../platform/timestamp-input.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import type { DirectoryGroupRow } from './group-store.ts';
import type { DirectoryTokenRow } from './token-store.ts';

export const OrgId = z.object({ org_id: z.guid() });
export const DirectoryTokenId = OrgId.extend({ directory_token_id: z.guid() });
export const DirectoryGroupId = OrgId.extend({ group_id: z.guid() });
export const DirectoryGroupQuery = z.object({ next_cursor: PageCursor });

export const CreateDirectoryToken = z
  .object({
    label: DisplayName.describe('Extension. A name for the token, 1 to 200 characters.'),
    expires_at: TimestampInput.nullish().describe(
      'Extension. When the token expires, in system time; null or omitted: never.',
    ),
  })
  .meta({ id: 'CreateDirectoryTokenBody' });

const token = {
  id: z.uuid(),
  label: z.string(),
  value: z
    .string()
    .describe('Extension. The full token in the response to its creation; masked in all other responses.'),
  created_at: Timestamp,
  last_used_at: Timestamp.nullable().describe('Extension. Saved at most once a minute.'),
  expires_at: Timestamp.nullable().describe('Extension. In system time; null: never.'),
};
export const DirectoryTokenView = z.object(token).meta({ id: 'DirectoryToken' });
export const DirectoryTokenList = z
  .object({ data: z.array(DirectoryTokenView) })
  .meta({ id: 'DirectoryTokenList' });

export const viewToken = (row: DirectoryTokenRow, value?: string): z.input<typeof DirectoryTokenView> => ({
  id: row.id,
  label: row.label,
  value: value ?? `${row.prefix}${'*'.repeat(8)}`,
  created_at: isoTimestamp(row.created_at),
  last_used_at: row.last_used_at && isoTimestamp(row.last_used_at),
  expires_at: row.expires_at && isoTimestamp(row.expires_at),
});

export const SetDirectoryGroupRoles = z
  .object({
    roles: DirectoryRoleBindings.describe('Extension. All roles of the group; an empty list takes away all.'),
  })
  .meta({ id: 'SetDirectoryGroupRolesBody' });

export const DirectoryGroupView = z
  .object({
    id: z.uuid(),
    name: z.string().describe('Extension. The displayName in the directory.'),
    external_id: z.string().nullable().describe('Extension. The id in the directory.'),
    member_count: z.int().describe('Extension. How many members it has.'),
    roles: DirectoryRoleViews.describe('Extension. What every member of the group may do.'),
  })
  .meta({ id: 'DirectoryGroup' });
export const DirectoryGroupList = z
  .object({ data: z.array(DirectoryGroupView), next_cursor: z.string().nullable() })
  .meta({ id: 'DirectoryGroupList' });

export const viewGroup = (
  row: DirectoryGroupRow & { readonly member_count?: number },
): z.input<typeof DirectoryGroupView> => ({
  id: row.id,
  name: row.display_name,
  external_id: row.external_id,
  member_count: row.member_count ?? row.members?.length ?? 0,
  roles: [...row.grants],
});
