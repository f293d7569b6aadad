import { z } from 'zod';
import type { App } from '../app.ts';
import { isoMoment } from '../platform/clock.ts';
import { GivenMoment } from '../platform/given-moments.ts';
import { asSystem } from '../platform/db/transact.ts';
import { invalidField } from '../platform/errors.ts';
import { ndjson } from '../platform/http/file-answer.ts';
import type { Http } from '../platform/http/http.ts';
import type { ManagementPrincipal } from '../platform/http/route.ts';
import { listDeeds, nextDeeds, type DeedFilter, type DeedRow } from './audit-store.ts';
import { requireOrgKey, scopedTeamEver } from './scope.ts';

const Moment = z.iso.datetime({ offset: true });
const Digest = z.string().regex(/^[0-9a-f]{64}$/);

const DeedView = z
  .object({
    id: z.uuid(),
    position: z.int().describe('1, 2, 3 ... within the organization.'),
    team_id: z.uuid().nullable(),
    actor: z.string().describe('The id of the key, or `service`.'),
    action: z.string(),
    subject: z.string().describe('The id of what was changed.'),
    before: z.unknown(),
    after: z.unknown(),
    address: z.string().nullable(),
    request_id: z.string().nullable(),
    created_at: Moment,
    previous: Digest.describe('The digest of the line before; zeros before the first.'),
    digest: Digest.describe('SHA-256 of `previous` and of this line.'),
  })
  .meta({ id: 'AuditLogEntry' });

const Text = z.string().min(1).max(200).nullish();

const AuditQuery = z.object({
  team_id: z.guid().nullish(),
  actor: Text.describe('The id of a key, or `service`.'),
  action: Text.describe('As `team_api_key.create`.'),
  subject: Text.describe('The id of what was changed.'),
  since: GivenMoment.nullish().describe('From this moment on.'),
  until: GivenMoment.nullish().describe('Before this moment.'),
  next_cursor: z.string().max(200).nullish(),
  limit: z.int().min(1).max(500).default(100),
});
type Wanted = z.output<typeof AuditQuery>;

/** Who changed what: page by page, or all of it as lines of JSON. */
export function auditRoutes(http: Http, app: App): void {
  http.management.get('/v1/org/:org_id/audit_log', {
    schema: {
      operationId: 'listAuditLog',
      summary: 'Read who changed what, newest first; as application/x-ndjson all of it, oldest first',
      tag: 'Management',
      params: z.object({ org_id: z.guid() }),
      query: AuditQuery,
      response: { 200: z.object({ data: z.array(DeedView), next_cursor: z.string().nullable() }) },
      file: ndjson(),
    },
    handler: async ({ principal, params, query }) => {
      const filter = await filterOf(app, principal, { ...params, query });
      const page = { before: positionOf(query.next_cursor), limit: query.limit + 1 };
      const rows = await asSystem(app.db, (tx) => listDeeds(tx, filter, page));
      const items = rows.slice(0, query.limit);
      const last = items.at(-1);
      const next = rows.length > items.length && last ? cursorOf(last.position) : null;
      return { data: items.map(viewDeed), next_cursor: next };
    },
    stream: ({ principal, params, query }) => exportOf(app, principal, { ...params, query }),
  });
}

const EXPORTED_AT_ONCE = 500;

async function* exportOf(
  app: App,
  principal: ManagementPrincipal,
  at: { org_id: string; query: Wanted },
): AsyncGenerator<string, void> {
  const filter = await filterOf(app, principal, at);
  let after = 0;
  for (;;) {
    const page = { after, limit: EXPORTED_AT_ONCE };
    const rows = await asSystem(app.db, (tx) => nextDeeds(tx, filter, page));
    if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(viewDeed(row))}\n`).join('');
    if (rows.length < EXPORTED_AT_ONCE) return;
    after = rows.at(-1)?.position ?? after;
  }
}

async function filterOf(
  app: App,
  principal: ManagementPrincipal,
  { org_id, query }: { org_id: string; query: Wanted },
): Promise<DeedFilter> {
  return {
    orgId: principal.orgId,
    teamId: await scopedTeamId(app, principal, { org_id, team_id: query.team_id }),
    actor: query.actor ?? undefined,
    action: query.action ?? undefined,
    subject: query.subject ?? undefined,
    since: query.since ? new Date(query.since) : undefined,
    until: query.until ? new Date(query.until) : undefined,
  };
}

/** The team that is named; without one all of the organization, for an Org Management Key. */
async function scopedTeamId(
  app: App,
  principal: ManagementPrincipal,
  { org_id, team_id }: { org_id: string; team_id: string | null | undefined },
): Promise<string | undefined> {
  if (team_id) return (await scopedTeamEver(app, principal, { org_id, team_id })).id;
  requireOrgKey(principal, org_id);
  return undefined;
}

const cursorOf = (position: number): string => Buffer.from(String(position)).toString('base64url');

function positionOf(cursor: string | null | undefined): number | undefined {
  if (!cursor) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw invalidField(['query', 'next_cursor'], 'expected a next_cursor of this list');
}

const viewDeed = ({ org_id: _org, ...row }: DeedRow): z.input<typeof DeedView> => ({
  ...row,
  created_at: isoMoment(row.created_at),
  previous: row.previous.toString('hex'),
  digest: row.digest.toString('hex'),
});
