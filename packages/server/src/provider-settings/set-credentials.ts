import type { z } from 'zod';
import type { App } from '../app.ts';
import { writeAuditEntry, lockOrganization, type AuditActor } from '../identity/management/management.ts';
import { asSystem } from '../platform/db/transact.ts';
import { DomainError, invalidField } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Environment, Tenant } from '../platform/tenant.ts';
import { getAcceptedCredentials, isOAuth, type AcceptedCredentials } from './accepted-credentials.ts';
import { redirectUri, listProviderWebhooks, webhookUri } from './addresses.ts';
import * as store from './credential-store.ts';
import type { CredentialPreparation, UpsertCredentialBody } from './credential-schema.ts';
import {
  toCredential,
  openCredential,
  sealCredential,
  type TeamCredential,
  type CredentialSecrets,
} from './credentials.ts';
import { isDetailsOf, ProviderDetails } from './details.ts';
import { hasUnresolvedMask, maskSecrets, restoreSecrets, maskEmailAddresses } from './mask.ts';

type CredentialInput = z.output<typeof UpsertCredentialBody>;

/** The tenant whose credentials are changed, and the author. */
interface CredentialChangeContext {
  readonly orgId: string;
  readonly tenant: Tenant;
  readonly by: AuditActor;
}

/** The URLs to register with the provider before its credentials can be used. Stores nothing. */
export function prepareCredentials(app: App, tenant: Tenant, provider: string): CredentialPreparation {
  requireCredentialSource(provider);
  if (!isOAuth(provider)) return { status: 'no_action_needed', preparation_steps: [] };
  const redirect = {
    type: 'redirect_uri' as const,
    key: null,
    value: redirectUri(app.config, provider),
    description: 'OAuth redirect URI. Add it to the redirect URIs of your application.',
  };
  const webhooks = listProviderWebhooks(provider).map((webhook) => ({
    type: 'webhook_uri' as const,
    key: webhook.kind,
    value: webhookUri(app.config, tenant, webhook),
    description:
      webhook.kind === null
        ? 'Webhook URL. Enter it as the webhook of your application.'
        : `Webhook URL for ${webhook.kind}. Add it as a subscriber of your application.`,
  }));
  return { status: 'preparations_required', preparation_steps: [redirect, ...webhooks] };
}

/**
 * Sets the custom credentials of a tenant; omitted fields keep their values. 400 if the source takes no credentials,
 * 422 if a field is missing or does not belong to the provider.
 */
export async function setCredentials(
  app: App,
  acting: CredentialChangeContext,
  given: CredentialInput,
): Promise<TeamCredential> {
  const { orgId, tenant, by } = acting;
  const accepts = requireCredentialSource(given.provider);
  requireMatchingDetails(given, tenant.environment);
  const cipher = await app.keyring.cipherOf(tenant);
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const row = await store.findCredential(tx, tenant, given.provider);
    const before = row && toCredential(cipher, row);
    const after = requireComplete(accepts, mergeCredential(row && openCredential(cipher, row), given));
    const at = app.clock.now();
    const written = await store.upsertCredential(tx, tenant, {
      id: newId(),
      source: given.provider,
      private: sealCredential(cipher, after),
      at,
    });
    const set = toCredential(cipher, written);
    await writeAuditEntry(tx, {
      ...by,
      orgId,
      teamId: tenant.teamId,
      action: 'custom_credentials.set',
      subject: set.id,
      before: before && toAuditView(before, tenant),
      after: toAuditView(set, tenant),
      at,
    });
    return set;
  });
}

function requireCredentialSource(provider: string): AcceptedCredentials {
  const accepts = getAcceptedCredentials(provider);
  if (accepts) return accepts;
  throw new DomainError('bad_request', `${provider} does not take custom credentials`);
}

function requireMatchingDetails(given: CredentialInput, environment: Environment): void {
  const { provider, details, redirect_url_override: redirect } = given;
  if (details && !isDetailsOf(provider, details)) {
    throw invalidField(['body', 'details'], `the details do not match ${provider}`);
  }
  if (redirect && environment === 'production' && !redirect.startsWith('https:')) {
    throw invalidField(['body', 'redirect_url_override'], 'expected an https URL in production');
  }
}

function mergeCredential(before: CredentialSecrets | undefined, given: CredentialInput): CredentialSecrets {
  const clientId = given.client_id ?? before?.client_id ?? null;
  // A secret belongs to its client id.
  const keptSecret = before && before.client_id === clientId ? before.client_secret : null;
  const redirect = given.redirect_url_override;
  return {
    client_id: clientId,
    client_secret: given.client_secret ?? keptSecret,
    details: given.details ? restoreDetails(given.details, before?.details) : (before?.details ?? null),
    redirect_url_override: redirect === undefined ? (before?.redirect_url_override ?? null) : redirect,
  };
}

/** Restores the secrets of the details; 422 for a mask without a stored secret. */
function restoreDetails(given: ProviderDetails, before: ProviderDetails | null | undefined): ProviderDetails {
  const unveiled = restoreSecrets(given, before);
  const parsed = ProviderDetails.safeParse(unveiled);
  // Unstructured details accept undefined, so a missing secret must be checked separately.
  if (parsed.success && !hasUnresolvedMask(unveiled)) return parsed.data;
  throw invalidField(['body', 'details'], 'a secret is masked, but none is stored; send the secret');
}

function requireComplete({ needs }: AcceptedCredentials, after: CredentialSecrets): CredentialSecrets {
  for (const field of needs) {
    if (after[field] === null) throw invalidField(['body', field], 'required for this provider');
  }
  if (after.client_id === null && after.client_secret === null && after.details === null) {
    throw invalidField(['body'], 'expected at least one of client_id, client_secret and details');
  }
  return after;
}

/** The view for the audit log: no secrets, no digests of them, and no e-mail addresses. */
const toAuditView = (
  { source, clientId, secretHash, details, redirectUrl }: TeamCredential,
  { environment }: Tenant,
) => ({
  environment,
  provider: source,
  client_id: clientId,
  has_client_secret: secretHash !== null,
  details: maskEmailAddresses(maskSecrets(details)),
  redirect_url_override: redirectUrl,
});

/** The credentials to delete, and the author; `teamIds` null means all teams of the organization. */
interface CredentialDeletion {
  readonly orgId: string;
  readonly environment: Environment;
  readonly teamIds: readonly string[] | null;
  readonly ids: readonly string[];
  readonly by: AuditActor;
}

/** Deletes credentials; returns the ids of those that existed. */
export async function deleteCredentials(app: App, deleting: CredentialDeletion): Promise<string[]> {
  const { orgId, environment, teamIds, by } = deleting;
  const ids = [...new Set(deleting.ids.map((id) => id.toLowerCase()))];
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const page = { orgId, environment, teamIds, ids, source: undefined, after: undefined, limit: ids.length };
    const rows = await store.listCredentials(tx, page);
    for (const row of rows) {
      const tenant = { teamId: row.team_id, environment };
      await store.deleteCredential(tx, tenant, row.id);
      const before = toAuditView(toCredential(await app.keyring.cipherOf(tenant, tx), row), tenant);
      const deed = { action: 'custom_credentials.delete', subject: row.id, before, at: app.clock.now() };
      await writeAuditEntry(tx, { ...by, orgId, teamId: row.team_id, ...deed });
    }
    return rows.map(({ id }) => id);
  });
}
