import type { RawBuilder } from 'kysely';
import { bindFilter } from './bound-filter.ts';
import { isScimRecord, type ScimRecord } from './evaluate-filter.ts';
import { toCondition, type FilterColumns } from './filter-store.ts';
import { parseAttributePath, parseFilter } from './filter.ts';
import { scimError } from './scim-error.ts';
import { resolveAttribute, type ResolvedAttribute, type ResourceSchema } from './scim-schema.ts';

type ScimQuery = Readonly<Record<string, string | undefined>>;

export const COUNT_MAX = 200;
const COUNT_DEFAULT = 100;
const INTEGER = /^[+-]?\d{1,9}$/;

/** What a list asks for. */
export interface ListRequest {
  readonly condition: RawBuilder<boolean> | undefined;
  /** From 1. */
  readonly startIndex: number;
  readonly offset: number;
  readonly limit: number;
}

/** 400 for parameters that cannot be read, and for sorting, which /ServiceProviderConfig says is not supported. */
export function parseListRequest(
  resource: ResourceSchema,
  query: ScimQuery,
  columns: FilterColumns,
): ListRequest {
  if (query['sortBy'] !== undefined) throw scimError('invalidValue', 'sortBy is not supported: omit it');
  const startIndex = Math.max(1, readInteger('startIndex', query) ?? 1);
  const count = readInteger('count', query) ?? COUNT_DEFAULT;
  const { filter } = query;
  const refuse = (reason: string) => scimError('invalidFilter', `The filter cannot be used: ${reason}`);
  return {
    condition:
      filter === undefined
        ? undefined
        : toCondition(bindFilter(resource, parseFilter(filter), refuse), columns),
    startIndex,
    offset: startIndex - 1,
    limit: Math.min(COUNT_MAX, Math.max(0, count)),
  };
}

function readInteger(name: string, query: ScimQuery): number | undefined {
  const text = query[name]?.trim();
  if (text === undefined || text === '') return undefined;
  if (!INTEGER.test(text)) throw scimError('invalidValue', `${name} is no integer`);
  return Number(text);
}

const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

export const toListResponse = (total: number, startIndex: number, resources: readonly unknown[]) => ({
  schemas: [LIST_SCHEMA],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});

/** Which attributes of a resource are returned. */
export interface Projection {
  readonly only: readonly ResolvedAttribute[] | undefined;
  readonly without: readonly ResolvedAttribute[];
}

/** Unknown attributes are left out; `attributes` comes before `excludedAttributes` (RFC 7644, 3.9). */
export function parseProjection(resource: ResourceSchema, query: ScimQuery): Projection {
  const read = (text: string | undefined) =>
    text?.split(',').flatMap((name) => {
      const path = parseAttributePath(name.trim());
      const found = path && resolveAttribute(resource, path);
      return found && found !== 'ignored' ? [found] : [];
    });
  const only = query['attributes'];
  return only !== undefined && only.trim() !== ''
    ? { only: read(only), without: [] }
    : { only: undefined, without: read(query['excludedAttributes']) ?? [] };
}

/** Whether an attribute, or a part of it, is returned. */
export const isReturned = ({ only, without }: Projection, name: string): boolean =>
  only
    ? only.some(({ attribute }) => attribute.name === name)
    : !without.some(({ attribute, sub }) => attribute.name === name && !sub);

/** `schemas` and `id` are always returned. */
export function project(resource: ScimRecord, projection: Projection): ScimRecord {
  const { only, without } = projection;
  if (!only && without.length === 0) return resource;
  return Object.fromEntries(
    Object.entries(resource).flatMap(([name, value]): [string, unknown][] => {
      if (name === 'schemas' || name === 'id') return [[name, value]];
      if (!isReturned(projection, name)) return [];
      const parts = (only ?? without).flatMap(({ attribute, sub }) =>
        attribute.name === name ? [sub?.name] : [],
      );
      if (parts.length === 0 || parts.includes(undefined)) return [[name, value]];
      return [[name, projectParts(value, (part) => parts.includes(part) === (only !== undefined))]];
    }),
  );
}

function projectParts(value: unknown, isKept: (part: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => projectParts(one, isKept));
  if (!isScimRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([part]) => isKept(part)));
}
