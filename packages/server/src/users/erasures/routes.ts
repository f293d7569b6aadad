import { z } from 'zod';
import { readTenant, type App } from '../../app.ts';
import type { TenantAuthorizer } from '../../identity/management/management.ts';
import { requireFound } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import { ENVIRONMENTS } from '../../platform/tenant.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { findCertificate } from './store.ts';

const Params = z.object({
  org_id: z.guid(),
  team_id: z.guid(),
  environment: z.enum(ENVIRONMENTS),
  user_id: z.guid(),
});

const CertificateDocument = z.object({
  version: z.literal(1),
  user_id: z.uuid(),
  requested_at: Timestamp.describe(
    'When the user was deleted, on the clock of the tenant, as the other times.',
  ),
  requested_by: z
    .object({ kind: z.string(), id: z.string() })
    .nullable()
    .describe(
      'The credential or member that deleted the user, as in the access log; null if it is not known.',
    ),
  began_at: Timestamp,
  finished_at: Timestamp,
  erased: z
    .array(z.object({ table: z.string(), rows: z.int() }))
    .describe(
      'How many rows were erased, by table. Uploaded files are deleted within a minute after their rows.',
    ),
  kept: z
    .array(z.object({ what: z.string(), count: z.int().nullable(), why: z.string() }))
    .describe('What was not erased.'),
});

const CertificateView = CertificateDocument.extend({
  document: z.string().describe('The certificate as it was hashed.'),
  sha256: z.string().describe('SHA-256 of `document`; the entry `user.erased` of the audit log has it, too.'),
}).meta({ id: 'ErasureCertificate' });

/** Certificates of erased users (ours, beyond the contract). */
export function erasureRoutes(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.get('/v1/org/:org_id/team/:team_id/:environment/erasure/:user_id', {
    schema: {
      operationId: 'getErasureCertificate',
      summary: 'Get the certificate of an erased user',
      description: '404 before the erasure, which happens seven days after the deletion of the user.',
      tag: 'Management',
      params: Params,
      response: { 200: CertificateView },
    },
    handler: async ({ principal, params }) => {
      const tenant = await scoped(principal, params);
      const found = await readTenant(app, tenant, (work) =>
        findCertificate(work, params.user_id.toLowerCase()),
      );
      const { document, digest } = requireFound(found, 'Erasure certificate');
      return { ...CertificateDocument.parse(JSON.parse(document)), document, sha256: digest };
    },
  });
}
