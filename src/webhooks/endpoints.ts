import { readTenant, type App, type Work } from '../app.ts';
import { audited, type Acting } from '../management/management.ts';
import { DomainError, found } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Tenant } from '../platform/tenant.ts';
import { switchOff, switchOn } from './disable-endpoint.ts';
import { NO_FAILURES } from './failure-store.ts';
import { checkFilter } from './filter.ts';
import { openHeaders, replaced, sealHeaders, type CustomHeaders } from './headers.ts';
import { viewEndpoint, type ChangeEndpoint, type CreateEndpoint } from './schema.ts';
import { firstSecrets, newSecret, openSecrets, readSecret, rotated, sealSecrets } from './secrets.ts';
import { removeEndpointOf } from './remove-endpoint.ts';
import * as store from './store.ts';
import { checkTarget, type TargetRules } from './target.ts';

export const ENDPOINTS_MAX = 200;
export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** The endpoint, or 404. */
export async function getEndpoint(work: Work, id: string): Promise<store.EndpointRow> {
  return found(isUuid(id) ? await store.findEndpoint(work, id) : undefined, 'Webhook');
}

/** The same, and nobody else changes it until this work ends. */
export async function holdEndpoint(work: Work, id: string): Promise<store.EndpointRow> {
  return found(isUuid(id) ? await store.lockEndpoint(work, id) : undefined, 'Webhook');
}

/** Makes an endpoint with a secret of its own, or with the one that is given. At most 200 a tenant. */
export async function createEndpoint(
  app: App,
  acting: Acting,
  command: CreateEndpoint,
): Promise<store.EndpointRow> {
  checkFilter(app.eventTypes, command.filter_types);
  await checkTarget(rulesOf(app, acting), command.url);
  return audited(app, acting, async (work) => {
    if ((await store.countEndpoints(work)) >= ENDPOINTS_MAX) {
      throw new DomainError('bad_request', `At most ${ENDPOINTS_MAX} webhooks are allowed`);
    }
    const made = await store.insertEndpoint(work, {
      id: newId(),
      url: command.url,
      description: command.description,
      filter_types: filterOf(command.filter_types),
      rate_limit: command.rate_limit ?? null,
      headers: sealHeaders(work.cipher, {}),
      secrets: sealSecrets(work.cipher, firstSecrets(keyOf(command.secret))),
      disabled_at: command.disabled ? work.now : null,
    });
    return { value: made, deed: { action: 'webhook.create', subject: made.id, after: told(made) } };
  });
}

const rulesOf = ({ config }: App, { tenant }: Acting): TargetRules => ({
  config,
  environment: tenant.environment,
});

const keyOf = (given: string | null | undefined): string =>
  given ? (readSecret(given) ?? given) : newSecret();

const filterOf = (given: readonly string[] | null | undefined): string[] | null =>
  given && given.length > 0 ? [...new Set(given)] : null;

/** For the audit log. The query of a URL often carries a key. */
const told = (row: store.EndpointRow) => ({ ...viewEndpoint(row), url: row.url.replace(/[?#].*$/s, '') });

/** Changes what is given. Enabling, and another URL, forget the failures; enabling lets go what was owed meanwhile. */
export async function changeEndpoint(
  app: App,
  acting: Acting,
  { id, changes }: { id: string; changes: ChangeEndpoint },
): Promise<store.EndpointRow> {
  await readTenant(app, acting.tenant, (work) => getEndpoint(work, id));
  checkFilter(app.eventTypes, changes.filter_types);
  if (changes.url) await checkTarget(rulesOf(app, acting), changes.url);
  return audited(app, acting, async (work) => {
    const before = await holdEndpoint(work, id);
    const wasDisabled = before.disabled_at !== null;
    const disabled = changes.disabled ?? wasDisabled;
    if (disabled && !wasDisabled) await switchOff(work, before.id);
    if (!disabled && wasDisabled) await switchOn(work, before.id);
    const after = found(await store.updateEndpoint(work, before.id, columnsOf(before, changes)), 'Webhook');
    const deed = { action: 'webhook.change', subject: before.id, before: told(before), after: told(after) };
    return { value: after, deed };
  });
}

function columnsOf(before: store.EndpointRow, changes: ChangeEndpoint) {
  const { url, description, rate_limit, filter_types } = changes;
  return {
    ...(url ? { url } : {}),
    ...(url && url !== before.url ? NO_FAILURES : {}),
    ...(description === undefined ? {} : { description }),
    ...(rate_limit === undefined ? {} : { rate_limit }),
    ...(filter_types === undefined ? {} : { filter_types: filterOf(filter_types) }),
  };
}

/** The endpoint is gone at once; what it is owed and the attempts that were made follow. */
export const removeEndpoint = (app: App, acting: Acting, id: string): Promise<void> =>
  audited(app, acting, async (work) => {
    const before = await holdEndpoint(work, id);
    await removeEndpointOf(work, before.id);
    return { value: undefined, deed: { action: 'webhook.delete', subject: before.id, before: told(before) } };
  });

/** The team is no more: nothing is sent to an endpoint of it again, for nobody can enable one. */
export async function disableEndpoints(work: Work): Promise<void> {
  for (const endpoint of await store.listEndpoints(work, { after: null, limit: ENDPOINTS_MAX })) {
    if (endpoint.disabled_at === null) await switchOff(work, endpoint.id);
  }
}

export const readHeaders = (app: App, tenant: Tenant, id: string): Promise<CustomHeaders> =>
  readTenant(app, tenant, async (work) => openHeaders(work.cipher, (await getEndpoint(work, id)).headers));

/** The headers are afterwards the given ones and no others. */
export const replaceHeaders = (
  app: App,
  acting: Acting,
  { id, headers }: { id: string; headers: CustomHeaders },
): Promise<void> =>
  audited(app, acting, async (work) => {
    const endpoint = await holdEndpoint(work, id);
    const before = openHeaders(work.cipher, endpoint.headers);
    const after = replaced(before, headers);
    await store.updateEndpoint(work, endpoint.id, { headers: sealHeaders(work.cipher, after) });
    const names = { before: { headers: Object.keys(before) }, after: { headers: Object.keys(after) } };
    return { value: undefined, deed: { action: 'webhook.headers.replace', subject: endpoint.id, ...names } };
  });

export const readSecretOf = (app: App, tenant: Tenant, id: string): Promise<string> =>
  readTenant(
    app,
    tenant,
    async (work) => openSecrets(work.cipher, (await getEndpoint(work, id)).secrets).current,
  );

/** The new secret, given or made, signs at once; the old one goes on signing beside it for 24 hours. */
export const rotateSecret = (
  app: App,
  acting: Acting,
  { id, key }: { id: string; key: string | null | undefined },
): Promise<void> =>
  audited(app, acting, async (work) => {
    const endpoint = await holdEndpoint(work, id);
    const secrets = rotated(openSecrets(work.cipher, endpoint.secrets), keyOf(key), work.now);
    await store.updateEndpoint(work, endpoint.id, { secrets: sealSecrets(work.cipher, secrets) });
    return { value: undefined, deed: { action: 'webhook.secret.rotate', subject: endpoint.id } };
  });
