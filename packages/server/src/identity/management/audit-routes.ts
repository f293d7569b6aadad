import { z } from 'zod';
import type { App } from '../../app.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import { TimestampInput } from '../../platform/timestamp-input.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { ndjson } from '../../platform/http/file-response.ts';
import type { Http } from '../../platform/http/http.ts';
import type { ManagementPrincipal } from '../../platform/http/route.ts';
import { exportLog, PageCursor, plainKeys, readLogPage } from '../../platform/http/page.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import {
  listAuditEntries,
  listAuditEntriesAfter,
  type AuditEntryFilter,
  type AuditEntryRow,
} from './audit-store.ts';
import { MEMBER_ACTOR } from './audit.ts';
import { readMemberNames } from '../roles/roles.ts';
import { requireOrgKey, authorizeTeamWithDeleted } from './scope.ts';

const Digest = z.string().regex(/^[0-9a-f]{64}$/);

const AuditEntryView = z
  .object({
    id: z.uuid(),
    position: z.int().describe('The position in the log of the organization, counted from 1.'),
    team_id: z.uuid().nullable(),
    actor: z.string().describe('The id of the key, `member:` with the id of a member, or `service`.'),
    actor_name: z
      .string()
      .nullable()
      .describe(
        'Extension. The current name of the member; null for other actors and for members that were removed.',
      ),
    action: z.string(),
    subject: z.string().describe('The id of the changed object.'),
    before: z.unknown(),
    after: z.unknown(),
    address: z.string().nullable(),
    request_id: z.string().nullable(),
    created_at: Timestamp,
    previous: Digest.describe('The digest of the previous entry; zeros for the first.'),
    digest: Digest.describe('SHA-256 of `previous` and this entry.'),
  })
  .meta({ id: 'AuditLogEntry' });

const FilterText = z.string().min(1).max(200).nullish();

const AuditLogQuery = z.object({
  team_id: z.guid().nullish().describe('Only entries of this team.'),
  actor: FilterText.describe('The id of a key, or `service`.'),
  action: FilterText.describe('For example `team_api_key.create`.'),
  subject: FilterText.describe('The id of the changed object.'),
  since: TimestampInput.nullish().describe('At or after this time.'),
  until: TimestampInput.nullish().describe('Before this time.'),
  next_cursor: PageCursor,
  limit: z.int().min(1).max(500).default(100),
});
type AuditLogQuery = z.output<typeof AuditLogQuery>;

/** The audit log of an organization, as pages of JSON or exported as NDJSON. */
export function auditRoutes(http: Http, app: App): void {
  http.management.get('/v1/org/:org_id/audit_log', {
    schema: {
      operationId: 'listAuditLog',
      summary: 'List the audit log of an organization',
      description: 'Newest first; with `Accept: application/x-ndjson` the whole log, oldest first.',
      tag: 'Management',
      params: z.object({ org_id: z.guid() }),
      query: AuditLogQuery,
      response: { 200: z.object({ data: z.array(AuditEntryView), next_cursor: z.string().nullable() }) },
      file: ndjson(),
    },
    handler: async ({ principal, params, query }) => {
      const filter = await authorizeFilter(app, principal, { ...params, query });
      const { items, next_cursor } = await readLogPage(query, plainKeys(positionOf), (page) =>
        asSystem(app.db, (tx) => listAuditEntries(tx, filter, page)),
      );
      return { data: await toViews(app, filter.orgId, items), next_cursor };
    },
    stream: ({ principal, params, query }) => exportEntries(app, principal, { ...params, query }),
  });
}

async function* exportEntries(
  app: App,
  principal: ManagementPrincipal,
  at: { org_id: string; query: AuditLogQuery },
): AsyncGenerator<string, void> {
  const filter = await authorizeFilter(app, principal, at);
  yield* exportLog(
    (rows: readonly AuditEntryRow[]) => toViews(app, filter.orgId, rows),
    positionOf,
    (page) => asSystem(app.db, (tx) => listAuditEntriesAfter(tx, filter, page)),
  );
}

async function toViews(app: App, orgId: string, rows: readonly AuditEntryRow[]) {
  const ids = rows.flatMap(({ actor }) => memberOf(actor) ?? []);
  const names = await readMemberNames(app, orgId, ids);
  return rows.map((row) => toAuditEntryView(row, names.get(memberOf(row.actor) ?? '') ?? null));
}

const memberOf = (actor: string): string | undefined =>
  actor.startsWith(MEMBER_ACTOR) ? actor.slice(MEMBER_ACTOR.length) : undefined;

const positionOf = ({ position }: AuditEntryRow): number => position;

async function authorizeFilter(
  app: App,
  principal: ManagementPrincipal,
  { org_id, query }: { org_id: string; query: AuditLogQuery },
): Promise<AuditEntryFilter> {
  return {
    orgId: principal.orgId,
    teamId: await authorizeTeamId(app, principal, { org_id, team_id: query.team_id }),
    actor: query.actor ?? undefined,
    action: query.action ?? undefined,
    subject: query.subject ?? undefined,
    since: query.since ? new Date(query.since) : undefined,
    until: query.until ? new Date(query.until) : undefined,
  };
}

/** The team in the query; without one the whole organization, for Org Management Keys only. */
async function authorizeTeamId(
  app: App,
  principal: ManagementPrincipal,
  { org_id, team_id }: { org_id: string; team_id: string | null | undefined },
): Promise<string | undefined> {
  if (team_id) return (await authorizeTeamWithDeleted(app, principal, { org_id, team_id })).id;
  requireOrgKey(principal, org_id);
  return undefined;
}

/**
 * Entries of earlier versions about the access log contain positions of a sequence that all tenants share, which tell how
 * much the others do. The log is append-only, so they are left out where it is read.
 */
function withoutSharedPositions({ action, after }: AuditEntryRow): unknown {
  if (!action.startsWith('access_log.') || typeof after !== 'object' || after === null) return after;
  const isShared = ([name, value]: [string, unknown]) =>
    (name === 'after' || name === 'to') && typeof value === 'number';
  return Object.fromEntries(Object.entries(after).filter((entry) => !isShared(entry)));
}

const toAuditEntryView = (
  { org_id: _org, ...row }: AuditEntryRow,
  actorName: string | null,
): z.input<typeof AuditEntryView> => ({
  ...row,
  after: withoutSharedPositions({ org_id: _org, ...row }),
  actor_name: actorName,
  created_at: isoTimestamp(row.created_at),
  previous: row.previous.toString('hex'),
  digest: row.digest.toString('hex'),
});
