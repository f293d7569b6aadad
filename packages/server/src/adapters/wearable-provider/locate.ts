import type { ProviderDefinition } from './definition.ts';
import { replaceOrigin } from './http-client.ts';
import { GrantLostError, type Grant } from './port.ts';

/* Which host a request goes to, and which grants are for it. */

/** The definition with the host of a region. Throws a RangeError for an unknown one. */
export function locateRegion(definition: ProviderDefinition, region: string | undefined): ProviderDefinition {
  if (region === undefined) return definition;
  const origin = definition.regions?.origins[definition.regions.find(region) ?? ''];
  if (origin === undefined) throw new RangeError(`${definition.name} has no region ${region}`);
  return moveTo(definition, origin);
}

/** The definition with the host that issued the grant. Grants of earlier versions are of the default host. */
export const locateIssuer = (definition: ProviderDefinition, { issuer }: Grant): ProviderDefinition =>
  Object.values(definition.regions?.origins ?? {}).includes(issuer ?? '')
    ? moveTo(definition, issuer ?? '')
    : definition;

function moveTo(definition: ProviderDefinition, origin: string): ProviderDefinition {
  const move = (url: string): string => replaceOrigin(url, () => origin).href;
  const { authorize, token } = definition.oauth;
  return {
    ...definition,
    api: origin,
    oauth: { ...definition.oauth, authorize: move(authorize), token: move(token) },
  };
}

export const getIssuer = ({ oauth }: ProviderDefinition): string => new URL(oauth.token).origin;

/** Whether the grant is for this API, and not for the one that it replaces. */
export const isCurrent = (definition: ProviderDefinition, { issuer }: Grant): boolean =>
  !definition.replacesEarlierApi || issuer === getIssuer(definition);

export function assertCurrent(definition: ProviderDefinition, grant: Grant): void {
  if (isCurrent(definition, grant)) return;
  throw new GrantLostError(
    'token_refresh_failed',
    `${definition.name} shut down the API that this grant is for; the user has to connect again`,
  );
}
