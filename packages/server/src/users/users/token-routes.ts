import { z } from 'zod';
import {
  IssuedTokenList,
  listTokensInWork,
  RevokedTokensView,
  revokeTokens,
} from '../../identity/management/management.ts';
import { requireFound } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import { PageCursor } from '../../platform/http/page.ts';
import { getUser } from './find-users.ts';

const tag = 'Users';
const BASE = '/v2/user/:user_id/token';
const UserTokenParams = z.object({ user_id: z.guid() });

/** The sign-in, portal and link tokens of a user. */
export function userTokenRoutes(http: Http): void {
  listing(http);
  revoking(http);
}

function listing(http: Http): void {
  http.get(BASE, {
    schema: {
      operationId: 'listUserTokens',
      summary: 'List the working tokens of a user',
      description: 'Extension. Sign-in, portal and link tokens, oldest first, without the tokens themselves.',
      tag,
      params: UserTokenParams,
      query: z.object({ next_cursor: PageCursor }),
      response: { 200: IssuedTokenList },
    },
    handler: async ({ work, params, query }) => {
      const { id: userId } = await getUser(work, params.user_id);
      return listTokensInWork(work, { userId }, query.next_cursor);
    },
  });
}

function revoking(http: Http): void {
  http.delete(BASE, {
    schema: {
      operationId: 'revokeUserTokens',
      summary: 'Revoke all tokens of a user',
      description: 'Extension. Its sign-in, portal and link tokens stop working at once, in every process.',
      tag,
      params: UserTokenParams,
      response: { 200: RevokedTokensView },
    },
    handler: async ({ work, params }) => {
      const { id: userId } = await getUser(work, params.user_id);
      return { revoked: await revokeTokens(work, { userId }) };
    },
  });

  http.delete(`${BASE}/:token_id`, {
    schema: {
      operationId: 'revokeUserToken',
      summary: 'Revoke a token of a user',
      description:
        'Extension. It and the tokens that it issued stop working at once, in every process. 404 for a token of ' +
        'another user, and for one that was revoked or used.',
      tag,
      params: UserTokenParams.extend({ token_id: z.guid().toLowerCase() }),
      response: { 200: RevokedTokensView },
    },
    handler: async ({ work, params }) => {
      const { id: userId } = await getUser(work, params.user_id);
      const revoked = await revokeTokens(work, { userId, id: params.token_id });
      requireFound(revoked[0], 'Token');
      return { revoked };
    },
  });
}
