import type { App } from '../../../app.ts';
import { actorOf, requireOrgKey } from '../../../identity/management/management.ts';
import type { Http } from '../../../platform/http/http.ts';
import { importForOrganization } from './import-for-organization.ts';
import { CatalogImportView, ImportCatalogBody, ImportParams, toCatalogImportView } from './schema.ts';

/** A file of some ten thousand markers, and what JSON adds to it. */
const FILE_LIMIT_BYTES = 10 * 1024 * 1024;

/** Importing the catalog of the deployment. Extension. */
export function catalogImportRoute(http: Http, app: App): void {
  http.management.post('/v1/org/:org_id/catalog_import', {
    limitBytes: FILE_LIMIT_BYTES,
    schema: {
      operationId: 'importCatalog',
      summary: 'Import a catalog file',
      description:
        'Extension. Laboratories and markers from a CSV or JSON file, as `aliquot catalog import` does: one ' +
        'transaction, and with a fault anywhere in the file nothing is written. The response has the faults, so its ' +
        'status is 200. The same file again changes nothing. 409 if several organizations share the deployment: ' +
        'its operator imports the catalog.',
      tag: 'Lab tests',
      params: ImportParams,
      body: ImportCatalogBody,
      response: { 200: CatalogImportView },
    },
    handler: async ({ principal, from, params, body: { format, content, dry_run: dryRun } }) => {
      requireOrgKey(principal, params.org_id);
      const organization = { orgId: principal.orgId, by: actorOf({ principal, from }) };
      const outcome = await importForOrganization(app, organization, { format, content, dryRun });
      return toCatalogImportView(outcome, dryRun);
    },
  });
}
