import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import type { VersionedResource } from './evaluate-filter.ts';
import type { DirectoryGroupRow } from './group-store.ts';
import { scimError } from './scim-error.ts';
import { GROUP_SCHEMA } from './scim-schema.ts';
import { optionalText, requireValid, ScimText } from './user-resource.ts';

const NAME_MAX = 254;
const MEMBERS_MAX = 20_000;

const GroupRequest = z.object({
  displayName: ScimText(NAME_MAX),
  externalId: optionalText(ScimText(NAME_MAX)),
  members: z
    .array(z.object({ value: z.string().max(NAME_MAX), type: z.string().nullish() }))
    .max(MEMBERS_MAX)
    .nullish(),
});

/** What a directory says about a group. */
export interface DirectoryGroup {
  readonly displayName: string;
  readonly externalId: string | null;
  /** The ids of users, each once. */
  readonly memberIds: readonly string[];
}

const Uuid = z.guid();

/** 400 `invalidValue` for what is no group of users; groups in groups are not supported. */
export function parseGroup(body: unknown): DirectoryGroup {
  const { displayName, externalId, members } = requireValid(GroupRequest, body, 'group');
  const ids = (members ?? []).map(({ value, type }) => {
    if (type && type.toLowerCase() !== 'user')
      throw scimError('invalidValue', 'members: only users can be members of a group');
    if (!Uuid.safeParse(value).success) throw unknownMember(value);
    return value.toLowerCase();
  });
  return { displayName, externalId: externalId ?? null, memberIds: [...new Set(ids)] };
}

export const unknownMember = (id: string) =>
  scimError('invalidValue', `members: there is no user with the id ${id.slice(0, 60)}`);

/** The resource of a group; without `members` where the row has none. */
export function toGroupResource(row: DirectoryGroupRow, urlOf: (path: string) => string): VersionedResource {
  return {
    schemas: [GROUP_SCHEMA],
    id: row.id,
    ...(row.external_id !== null && { externalId: row.external_id }),
    displayName: row.display_name,
    ...(row.members && {
      members: row.members.map(({ value, display }) => ({
        value,
        $ref: urlOf(`/Users/${value}`),
        display,
        type: 'User',
      })),
    }),
    meta: {
      resourceType: 'Group',
      created: isoTimestamp(row.created_at),
      lastModified: isoTimestamp(row.updated_at),
      location: urlOf(`/Groups/${row.id}`),
      version: `W/"${row.version}"`,
    },
  };
}
