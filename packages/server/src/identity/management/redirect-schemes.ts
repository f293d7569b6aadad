import { appSchemeOf } from '../../platform/link-url.ts';
import type { Work } from '../../platform/work.ts';
import { withSystemRole } from './key-lifecycle.ts';
import { TeamSettings } from './settings.ts';
import * as store from './team-store.ts';

/**
 * The schemes of the team's apps to which a user may be redirected. `listEarlierUrls` returns redirect URLs that were
 * accepted before schemes had to be registered: their schemes are registered once, unless the team set its own list.
 */
export async function listRedirectSchemes(
  work: Work,
  listEarlierUrls: (work: Work) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { settings, redirect_schemes_due: isDue } = await store.getEnvironment(work.tx, work.tenant);
  const { allowed_redirect_schemes: registered } = TeamSettings.parse(settings);
  if (!isDue) return registered;
  const used = (await listEarlierUrls(work)).map(appSchemeOf).filter((scheme) => scheme !== undefined);
  const schemes = [...new Set(used)].toSorted();
  await withSystemRole(work, (tx) => store.registerRedirectSchemes(tx, work.tenant, schemes));
  return schemes;
}
