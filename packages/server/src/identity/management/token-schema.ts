import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { readPage } from '../../platform/http/page.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import type { Work } from '../../platform/work.ts';
import { systemNowOf } from './issued-tokens.ts';
import { ISSUED_TOKEN_KINDS } from './token-kinds.ts';
import { listTokens, type IssuedTokenRow, type TokenFilter } from './token-store.ts';

export const TokenKindName = z
  .enum(ISSUED_TOKEN_KINDS)
  .describe(
    '`access`: of the whole team; `sign_in`, `portal`, `link`, `link_code`: of one user; `app_access`, `app_refresh`: of the app ' +
      'of one user, which signed in; `booking`, `results`: of one order.',
  );

const IssuedTokenView = z
  .object({
    id: z.uuid(),
    kind: TokenKindName,
    user_id: z.uuid().nullable().describe('The user; null for a token of the whole team.'),
    order_id: z.uuid().nullable().describe('The order of a token of the kind `booking` or `results`.'),
    issued_by: z.uuid().describe('The id of the key behind it, also where another token issued it.'),
    issued_by_token: z.uuid().nullable().describe('The id of the token that issued it, if one did.'),
    created_at: Timestamp.describe('In system time.'),
    expires_at: Timestamp.describe(
      'On the clock of the environment for `access`, `link` and `link_code`, in system time for the others.',
    ),
  })
  .meta({ id: 'IssuedToken' });

export const IssuedTokenList = z
  .object({ data: z.array(IssuedTokenView), next_cursor: z.string().nullable() })
  .meta({ id: 'IssuedTokenList' });

export const RevokedTokensView = z
  .object({ revoked: z.array(z.uuid()).describe('The ids of the tokens that no longer work.') })
  .meta({ id: 'RevokedTokens' });

const toIssuedTokenView = (row: IssuedTokenRow): z.input<typeof IssuedTokenView> => ({
  id: row.id,
  kind: row.kind,
  user_id: row.user_id,
  order_id: row.order_id,
  issued_by: row.api_key_id ?? row.management_key_id ?? '',
  issued_by_token: row.parent_id,
  created_at: isoTimestamp(row.created_at),
  expires_at: isoTimestamp(row.expires_at),
});

/** A page of the tokens that work now, oldest first. */
export async function listTokensInWork(
  work: Work,
  filter: TokenFilter,
  cursor: string | null | undefined,
): Promise<z.input<typeof IssuedTokenList>> {
  const times = { systemNow: systemNowOf(work), now: work.now };
  const { items, next_cursor } = await readPage({ next_cursor: cursor }, (page) =>
    listTokens(work.tx, work.tenant, { ...filter, ...times, ...page }),
  );
  return { data: items.map(toIssuedTokenView), next_cursor };
}
