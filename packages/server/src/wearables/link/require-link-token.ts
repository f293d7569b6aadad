import type { App } from '../../app.ts';
import { DomainError } from '../../platform/errors.ts';
import { LinkError } from '../connections/connect.ts';
import { readLinkToken, type LinkRequestHeaders } from './header.ts';
import { openToken, type LinkToken } from './token.ts';
import { countWrongTokens } from './wrong-tokens.ts';

export interface LinkTokenRequest {
  readonly headers: LinkRequestHeaders;
  readonly from: { readonly address: string };
}

/** The link token in the header of a request. */
export const requireLinkToken = (app: App, input: LinkTokenRequest): Promise<LinkToken> =>
  requireWorkingToken(app, input, readLinkToken(app, input.headers));

/** Same, for a token in the body. */
export const requireWorkingToken = (
  app: App,
  { from }: Pick<LinkTokenRequest, 'from'>,
  token: string,
): Promise<LinkToken> =>
  countWrongTokens(app, from.address, () => openToken(app, token)).catch(throwApiError);

const TOKEN_ERRORS = new Set<string>(['invalid_token', 'token_expired', 'token_consumed']);

/** 401 for an invalid token, 400 for anything else. */
export function throwApiError(error: unknown): never {
  if (!(error instanceof LinkError)) throw error;
  const kind = TOKEN_ERRORS.has(error.errorType) ? 'unauthorized' : 'bad_request';
  throw new DomainError(kind, { error_type: error.errorType, error_message: error.message });
}
