import { z } from 'zod';
import { readTenant, type App } from '../app.ts';
import {
  authorizeChange,
  runAuditedChange,
  type TenantAuthorizer,
} from '../identity/management/management.ts';
import { ndjson } from '../platform/http/file-response.ts';
import type { Http } from '../platform/http/http.ts';
import { ENVIRONMENTS } from '../platform/tenant.ts';
import { countRows } from '../users/erasures/erasures.ts';
import { getUser } from '../users/users/users.ts';
import { EXPORT_FORMAT, exportUser, type ExportSources } from './export.ts';

const Params = z.object({
  org_id: z.guid(),
  team_id: z.guid(),
  environment: z.enum(ENVIRONMENTS),
  user_id: z.guid(),
});

const InventoryView = z
  .object({
    user_id: z.uuid(),
    format: z.literal(EXPORT_FORMAT.format),
    version: z.literal(EXPORT_FORMAT.version),
    sections: z.array(z.object({ section: z.string(), rows: z.int() })),
  })
  .meta({ id: 'UserExportInventory' });

/** Everything about one user (ours, beyond the contract). */
export function userExportRoutes(
  http: Http,
  app: App,
  { scoped, sources }: { scoped: TenantAuthorizer; sources: ExportSources },
): void {
  http.management.get('/v1/org/:org_id/team/:team_id/:environment/user_export/:user_id', {
    schema: {
      operationId: 'exportUser',
      summary: 'Export everything about a user',
      description:
        'With `Accept: application/x-ndjson` all data, with encrypted values opened: one line for each row, result ' +
        'as a FHIR R4 Bundle, page of samples, part of a file and access log line. The last line is the manifest with ' +
        'the SHA-256 of each section; a response without it is incomplete. Credentials are left out. Otherwise how ' +
        'many rows each table has.',
      tag: 'Management',
      params: Params,
      response: { 200: InventoryView },
      file: ndjson(),
    },
    handler: async ({ principal, params }) => {
      const tenant = await scoped(principal, params);
      return readTenant(app, tenant, async (work) => {
        const { id } = await getUser(work, params.user_id.toLowerCase());
        const counted = await countRows(work, id);
        const sections = counted.map(({ table, rows }) => ({ section: table, rows }));
        return { user_id: id, ...EXPORT_FORMAT, sections };
      });
    },
    stream: async function* (input) {
      const acting = await authorizeChange(scoped, input);
      const userId = await runAuditedChange(app, acting, async (work) => {
        const { id } = await getUser(work, input.params.user_id.toLowerCase());
        return { value: id, deed: { action: 'user.export', subject: id } };
      });
      yield* exportUser(app, sources, { tenant: acting.tenant, userId, by: acting.by.actor });
    },
  });
}
