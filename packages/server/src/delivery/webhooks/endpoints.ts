import { readTenant, type App, type Work } from '../../app.ts';
import { runAuditedChange, type TenantChangeContext } from '../../identity/management/management.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { markDisabled, markEnabled } from './disable-endpoint.ts';
import { NO_FAILURES } from './failure-store.ts';
import { validateFilter } from './filter.ts';
import { openHeaders, replaceHeaderValues, sealHeaders, type CustomHeaders } from './headers.ts';
import { toEndpointView, type ChangeEndpoint, type CreateEndpoint } from './schema.ts';
import { firstSecrets, newSecret, openSecrets, readSecret, addSecret, sealSecrets } from './secrets.ts';
import { markEndpointRemoved } from './remove-endpoint.ts';
import * as store from './store.ts';
import { validateTarget, type TargetRules } from './target.ts';

export const ENDPOINTS_MAX = 200;
export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** The endpoint, or 404. */
export async function getEndpoint(work: Work, id: string): Promise<store.EndpointRow> {
  return requireFound(isUuid(id) ? await store.findEndpoint(work, id) : undefined, 'Webhook');
}

/** The same, locked until this work ends. */
export async function lockExistingEndpoint(work: Work, id: string): Promise<store.EndpointRow> {
  return requireFound(isUuid(id) ? await store.lockEndpoint(work, id) : undefined, 'Webhook');
}

/** Creates an endpoint with a generated secret or the given one. At most 200 per tenant. */
export async function createEndpoint(
  app: App,
  acting: TenantChangeContext,
  command: CreateEndpoint,
): Promise<store.EndpointRow> {
  validateFilter(app.eventTypes, command.filter_types);
  await validateTarget(rulesOf(app, acting), command.url);
  return runAuditedChange(app, acting, async (work) => {
    const made = await addEndpoint(work, command);
    return { value: made, deed: { action: 'webhook.create', subject: made.id, after: toAuditView(made) } };
  });
}

/** Adds an endpoint whose filter and target are valid. */
export async function addEndpoint(work: Work, command: CreateEndpoint): Promise<store.EndpointRow> {
  if ((await store.countEndpoints(work)) >= ENDPOINTS_MAX) {
    throw new DomainError('bad_request', `At most ${ENDPOINTS_MAX} webhooks are allowed`);
  }
  return store.insertEndpoint(work, {
    id: newId(),
    url: command.url,
    description: command.description,
    filter_types: normalizeFilter(command.filter_types),
    rate_limit: command.rate_limit ?? null,
    headers: sealHeaders(work.cipher, {}),
    secrets: sealSecrets(work.cipher, firstSecrets(chooseSecret(command.secret))),
    disabled_at: command.disabled ? work.now : null,
  });
}

const rulesOf = ({ config }: App, { tenant }: TenantChangeContext): TargetRules => ({
  config,
  environment: tenant.environment,
});

const chooseSecret = (given: string | null | undefined): string =>
  given ? (readSecret(given) ?? given) : newSecret();

const normalizeFilter = (given: readonly string[] | null | undefined): string[] | null =>
  given && given.length > 0 ? [...new Set(given)] : null;

/** For the audit log, without the query of the URL, which often contains a key. */
const toAuditView = (row: store.EndpointRow) => ({
  ...toEndpointView(row),
  url: row.url.replace(/[?#].*$/s, ''),
});

/** Changes the given fields. Enabling or a new URL resets the failures; enabling also releases held messages. */
export async function changeEndpoint(
  app: App,
  acting: TenantChangeContext,
  { id, changes }: { id: string; changes: ChangeEndpoint },
): Promise<store.EndpointRow> {
  const known = await readTenant(app, acting.tenant, (work) => getEndpoint(work, id));
  validateFilter(app.eventTypes, changes.filter_types);
  // A form sends back the URL of the team's inbox, which no team may enter.
  if (changes.url && changes.url !== known.url) await validateTarget(rulesOf(app, acting), changes.url);
  return runAuditedChange(app, acting, async (work) => {
    const before = await lockExistingEndpoint(work, id);
    const wasDisabled = before.disabled_at !== null;
    const disabled = changes.disabled ?? wasDisabled;
    if (disabled && !wasDisabled) await markDisabled(work, before.id);
    if (!disabled && wasDisabled) await markEnabled(work, before.id);
    const after = requireFound(
      await store.updateEndpoint(work, before.id, columnsOf(before, changes)),
      'Webhook',
    );
    const deed = {
      action: 'webhook.change',
      subject: before.id,
      before: toAuditView(before),
      after: toAuditView(after),
    };
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
    ...(filter_types === undefined ? {} : { filter_types: normalizeFilter(filter_types) }),
  };
}

/** Deletes the endpoint immediately; its pending messages and attempts are deleted in the background. */
export const removeEndpoint = (app: App, acting: TenantChangeContext, id: string): Promise<void> =>
  runAuditedChange(app, acting, async (work) => {
    const before = await lockExistingEndpoint(work, id);
    await markEndpointRemoved(work, before.id);
    return {
      value: undefined,
      deed: { action: 'webhook.delete', subject: before.id, before: toAuditView(before) },
    };
  });

/** The team was deleted: no endpoint of it is ever used again, because none can be enabled. */
export async function disableEndpoints(work: Work): Promise<void> {
  for (const endpoint of await store.listEndpoints(work, { after: null, limit: ENDPOINTS_MAX })) {
    if (endpoint.disabled_at === null) await markDisabled(work, endpoint.id);
  }
}

export const readHeaders = (app: App, tenant: Tenant, id: string): Promise<CustomHeaders> =>
  readTenant(app, tenant, async (work) => openHeaders(work.cipher, (await getEndpoint(work, id)).headers));

/** Replaces all custom headers. */
export const replaceHeaders = (
  app: App,
  acting: TenantChangeContext,
  { id, headers }: { id: string; headers: CustomHeaders },
): Promise<void> =>
  runAuditedChange(app, acting, async (work) => {
    const endpoint = await lockExistingEndpoint(work, id);
    const before = openHeaders(work.cipher, endpoint.headers);
    const after = replaceHeaderValues(before, headers);
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

/** The new secret, given or generated, signs immediately; the old one also signs for another 24 hours. */
export const rotateSecret = (
  app: App,
  acting: TenantChangeContext,
  { id, key }: { id: string; key: string | null | undefined },
): Promise<void> =>
  runAuditedChange(app, acting, async (work) => {
    const endpoint = await lockExistingEndpoint(work, id);
    const secrets = addSecret(openSecrets(work.cipher, endpoint.secrets), chooseSecret(key), work.now);
    await store.updateEndpoint(work, endpoint.id, { secrets: sealSecrets(work.cipher, secrets) });
    return { value: undefined, deed: { action: 'webhook.secret.rotate', subject: endpoint.id } };
  });
