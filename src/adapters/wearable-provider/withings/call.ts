import type { z } from 'zod';
import type { Api, Ask } from '../api.ts';
import { AccessRefused, GrantLost, ProviderAway, ProviderBusy } from '../port.ts';
import { Wrapped } from './wire.ts';

const NAME = 'Withings';
/** 120 requests a minute is what an application may make. */
const BUSY_SECONDS = 60;

export interface WithingsCall {
  readonly path: string;
  readonly form: NonNullable<Ask['form']>;
}

/** Whether a status means that the token, or the application, is not known. */
export const isRefusal = (status: number): boolean =>
  (status >= 100 && status <= 102) || status === 200 || status === 401;

/** Not what the user granted. */
const UNAUTHORIZED = new Set([214, 277, 2553, 2555]);

/** What a service of Withings answers, its own status looked at. */
export async function call<T>(api: Api, schema: z.ZodType<T>, { path, form }: WithingsCall): Promise<T> {
  const { status, body } = await api.read(Wrapped, path, { form });
  if (status === 601) throw new ProviderBusy(BUSY_SECONDS, `${NAME} wants to be asked less often`);
  if (isRefusal(status)) throw new AccessRefused('token_refresh_failed', `${NAME} refuses the access token`);
  if (UNAUTHORIZED.has(status)) {
    throw new GrantLost('required_scopes_not_granted', `${NAME} says that the user did not grant this`);
  }
  if (status !== 0) throw new ProviderAway(`${NAME} answered ${status}`);
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ProviderAway(
    `${NAME} answered what cannot be read: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
  );
}

interface Paged {
  readonly more?: boolean | number | null | undefined;
  readonly offset?: number | null | undefined;
}

/** All pages of an answer that may have more of them. Nothing is said of their order, so that they are put together. */
export async function allPages<T extends Paged>(
  api: Api,
  schema: z.ZodType<T>,
  { path, form }: WithingsCall,
): Promise<T[]> {
  const all: T[] = [];
  let offset: number | undefined;
  for (;;) {
    const page = await call(api, schema, {
      path,
      form: { ...form, ...(offset !== undefined && { offset }) },
    });
    all.push(page);
    const next = page.offset ?? 0;
    // An offset that does not move on would be asked for ever.
    if (!page.more || next <= (offset ?? 0)) return all;
    offset = next;
  }
}
