import type { z } from 'zod';
import type { App } from '../../app.ts';
import { DomainError } from '../../platform/errors.ts';
import { findProvider } from '../../readings/readings.ts';
import { toSourceLink, type LinkedSource } from '../connections/schema.ts';
import { authorizeUrl, beginAttempt } from './begin-attempt.ts';
import { throwApiError } from './require-link-token.ts';
import type { LinkToken } from './token.ts';

/** Begins an OAuth attempt, and describes the provider with the URL that the browser of the user opens. */
export async function beginOAuthLink(
  app: App,
  token: LinkToken,
  { provider, region }: { readonly provider: string; readonly region?: string | undefined },
): Promise<z.input<typeof LinkedSource>> {
  const state = await beginAttempt(app, token, { provider, region }).catch(throwApiError);
  const known = findProvider(provider);
  if (!known) throw new DomainError('not_found', 'Provider not found');
  const { form_components: _form, ...view } = toSourceLink(known, authorizeUrl(app, state));
  const days = app.wearableProviders.find(provider)?.historicalDays ?? null;
  return { ...view, group: null, source_type: known.linked, is_active: true, backfill_num_days: days };
}
