import { z } from 'zod';
import { readTenant, type App } from '../../app.ts';
import { requireFound } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import { PageCursor } from '../../platform/http/page.ts';
import { authorizeChange, runAuditedChange } from './audited-change.ts';
import { revokeTokens } from './issued-tokens.ts';
import { createTenantAuthorizer } from './scope.ts';
import { Env } from './team-schema.ts';
import { IssuedTokenList, listTokensInWork, RevokedTokensView, TokenKindName } from './token-schema.ts';

const tag = 'Management';
const BASE = '/v1/org/:org_id/team/:team_id/:environment/token';
const TokenParams = z.object({ org_id: z.guid(), team_id: z.guid(), environment: Env });
const TokenQuery = z.object({
  kind: TokenKindName.nullish(),
  user_id: z.guid().toLowerCase().nullish().describe('Only tokens of this user.'),
});
const filterOf = ({ kind, user_id: userId }: z.output<typeof TokenQuery>) => ({
  kind: kind ?? undefined,
  userId: userId ?? undefined,
});

/** The tokens that the keys of a team, and management keys, issued for it. */
export function tokenRoutes(http: Http, app: App): void {
  list(http, app);
  revokeAll(http, app);
  revokeOne(http, app);
}

function list(http: Http, app: App): void {
  const scoped = createTenantAuthorizer(app);
  http.management.get(BASE, {
    schema: {
      operationId: 'listTokens',
      summary: 'List the working tokens of a team',
      description: 'Extension. Oldest first, without the tokens themselves.',
      tag,
      params: TokenParams,
      query: TokenQuery.extend({ next_cursor: PageCursor }),
      response: { 200: IssuedTokenList },
    },
    handler: async ({ principal, params, query }) => {
      const tenant = await scoped(principal, params);
      return readTenant(app, tenant, (work) => listTokensInWork(work, filterOf(query), query.next_cursor));
    },
  });
}

function revokeAll(http: Http, app: App): void {
  const scoped = createTenantAuthorizer(app);
  http.management.delete(BASE, {
    schema: {
      operationId: 'revokeTokens',
      summary: 'Revoke tokens of a team',
      description:
        'Extension. All of them, or those of one kind or user. They and the tokens that they issued stop working ' +
        'at once, in every process.',
      tag,
      params: TokenParams,
      query: TokenQuery,
      response: { 200: RevokedTokensView },
    },
    handler: async (input) => {
      const acting = await authorizeChange(scoped, input);
      return runAuditedChange(app, acting, async (work) => {
        const revoked = await revokeTokens(work, filterOf(input.query));
        const { kind = null, user_id = null } = input.query;
        const after = { kind, user_id, token_ids: revoked };
        return { value: { revoked }, deed: { action: 'token.revoke', subject: acting.tenant.teamId, after } };
      });
    },
  });
}

function revokeOne(http: Http, app: App): void {
  const scoped = createTenantAuthorizer(app);
  http.management.delete(`${BASE}/:token_id`, {
    schema: {
      operationId: 'revokeToken',
      summary: 'Revoke a token of a team',
      description:
        'Extension. It and the tokens that it issued stop working at once. 404 if it was revoked or used.',
      tag,
      params: TokenParams.extend({ token_id: z.guid().toLowerCase() }),
      response: { 200: RevokedTokensView },
    },
    handler: async (input) => {
      const id = input.params.token_id;
      return runAuditedChange(app, await authorizeChange(scoped, input), async (work) => {
        const revoked = await revokeTokens(work, { id });
        requireFound(revoked[0], 'Token');
        return {
          value: { revoked },
          deed: { action: 'token.revoke', subject: id, after: { token_ids: revoked } },
        };
      });
    },
  });
}
