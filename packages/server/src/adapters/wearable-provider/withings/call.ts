import type { z } from 'zod';
import type { ProviderApi, ProviderRequestOptions } from '../api.ts';
import {
  AccessTokenRejectedError,
  GrantLostError,
  ProviderUnavailableError,
  ProviderRateLimitedError,
} from '../port.ts';
import { Envelope } from './wire.ts';

const NAME = 'Withings';
/** The limit is 120 requests per minute and application. */
const RETRY_SECONDS = 60;

interface WithingsCall {
  readonly path: string;
  readonly form: NonNullable<ProviderRequestOptions['form']>;
}

/** Whether a status means an unknown token or application. */
export const isTokenRejected = (status: number): boolean =>
  (status >= 100 && status <= 102) || status === 200 || status === 401;

/** Statuses for a missing scope. */
const MISSING_SCOPE_STATUSES = new Set([214, 277, 2553, 2555]);

/** Calls a Withings service. Withings reports errors as a status in the body, with HTTP 200. */
export async function callService<T>(
  api: ProviderApi,
  schema: z.ZodType<T>,
  { path, form }: WithingsCall,
): Promise<T> {
  const { status, body } = await api.read(Envelope, path, { form });
  if (status === 601) throw new ProviderRateLimitedError(RETRY_SECONDS, `${NAME} is limiting requests`);
  if (isTokenRejected(status))
    throw new AccessTokenRejectedError('token_refresh_failed', `${NAME} rejected the access token`);
  if (MISSING_SCOPE_STATUSES.has(status)) {
    throw new GrantLostError(
      'required_scopes_not_granted',
      `${NAME} reports that the user did not grant the required scope`,
    );
  }
  if (status !== 0) throw new ProviderUnavailableError(`${NAME} answered ${status}`);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ProviderUnavailableError(
    `${NAME} sent a response that cannot be read: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
  );
}

interface WithingsPage {
  readonly more?: boolean | number | null | undefined;
  readonly offset?: number | null | undefined;
}

/** Fetches all pages. Withings does not document their order, so callers must sort. */
export async function fetchAllPages<T extends WithingsPage>(
  api: ProviderApi,
  schema: z.ZodType<T>,
  { path, form }: WithingsCall,
): Promise<T[]> {
  const all: T[] = [];
  let offset: number | undefined;
  for (;;) {
    const page = await callService(api, schema, {
      path,
      form: { ...form, ...(offset !== undefined && { offset }) },
    });
    all.push(page);
    const next = page.offset ?? 0;
    // Stop if the offset does not advance, to avoid an endless loop.
    if (!page.more || next <= (offset ?? 0)) return all;
    offset = next;
  }
}
