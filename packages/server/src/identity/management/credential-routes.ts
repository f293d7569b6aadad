import { z } from 'zod';
import type { Http } from '../../platform/http/http.ts';
import { ENVIRONMENTS } from '../../platform/tenant.ts';
import { API_AREAS } from './api-areas.ts';
import { getTeam } from './team-store.ts';

const CredentialView = z
  .object({
    id: z.string().describe('The id of the key or of another credential, as in the access log.'),
    kind: z
      .enum(['api_key', 'access_token', 'break_glass', 'user', 'member'])
      .describe('What the request was authenticated with.'),
    team_id: z.uuid(),
    org_id: z.uuid(),
    environment: z.enum(ENVIRONMENTS),
    limits: z
      .object({
        read_only: z.boolean().describe('Whether the key permits only GET requests.'),
        areas: z
          .array(z.enum(API_AREAS))
          .nullable()
          .describe('The areas to which the key is restricted; null: all.'),
        assistants: z.boolean().describe('Whether assistants may read with it in production.'),
      })
      .nullable()
      .describe('null for credentials other than API keys.'),
  })
  .meta({ id: 'Credential' });

/** What a client can learn about its own key. */
export function credentialRoutes(http: Http): void {
  http.get('/v1/credential', {
    schema: {
      operationId: 'getOwnCredential',
      summary: 'Get the credential of the request',
      description:
        'The team and the environment of the key, and what it permits. A key that is restricted to areas may call it, too.',
      tag: 'Team',
      response: { 200: CredentialView },
    },
    handler: async ({ work, principal }) => {
      const { org_id: orgId } = await getTeam(work.tx, work.tenant.teamId);
      const { limits } = principal;
      return {
        id: principal.keyId,
        kind: principal.kind ?? ('api_key' as const),
        team_id: work.tenant.teamId,
        org_id: orgId,
        environment: work.tenant.environment,
        limits: limits
          ? {
              read_only: limits.readOnly,
              areas: limits.areas && API_AREAS.filter((area) => limits.areas?.has(area)),
              assistants: limits.assistants,
            }
          : null,
      };
    },
  });
}
