import type { z } from 'zod';
import type { App } from '../app.ts';
import { audit, lockOrganization, type Author } from '../management/management.ts';
import { asSystem } from '../platform/db/transact.ts';
import { DomainError, invalidField } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Environment, Tenant } from '../platform/tenant.ts';
import { acceptedBy, isOAuth, type Accepts } from './accepts.ts';
import { redirectUri, webhooksOf, webhookUri } from './addresses.ts';
import * as store from './credential-store.ts';
import type { Preparation, UpsertCredential } from './credential-schema.ts';
import { credentialOf, openPrivate, sealPrivate, type Credential, type Private } from './credentials.ts';
import { belongsTo, Details } from './details.ts';
import { hasGap, masked, unmasked, withoutAddresses } from './mask.ts';

type Given = z.output<typeof UpsertCredential>;

/** For which tenant somebody acts, and who. */
export interface Acting {
  readonly orgId: string;
  readonly tenant: Tenant;
  readonly by: Author;
}

/** What has to be entered at the provider before its credentials are of use here. Nothing is written down. */
export function prepareCredentials(app: App, tenant: Tenant, provider: string): Preparation {
  requireAccepted(provider);
  if (!isOAuth(provider)) return { status: 'no_action_needed', preparation_steps: [] };
  const redirect = {
    type: 'redirect_uri' as const,
    key: null,
    value: redirectUri(app.config, provider),
    description: 'The address that users come back to; enter it among the redirect URIs of your application.',
  };
  const webhooks = webhooksOf(provider).map((webhook) => ({
    type: 'webhook_uri' as const,
    key: webhook.kind,
    value: webhookUri(app.config, tenant, webhook),
    description:
      webhook.kind === null
        ? 'The address for news; enter it as the webhook of your application.'
        : `The address for news of ${webhook.kind}; enter it as a subscriber of your application.`,
  }));
  return { status: 'preparations_required', preparation_steps: [redirect, ...webhooks] };
}

/**
 * Sets the own account of a tenant with a provider; what is left out stays. 400 for what takes no credentials,
 * 422 for what is missing or does not belong to the provider.
 */
export async function setCredentials(app: App, acting: Acting, given: Given): Promise<Credential> {
  const { orgId, tenant, by } = acting;
  const accepts = requireAccepted(given.provider);
  requireFitting(given, tenant.environment);
  const cipher = await app.keyring.of(tenant);
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const row = await store.findCredential(tx, tenant, given.provider);
    const before = row && credentialOf(cipher, row);
    const after = requireWhole(accepts, changed(row && openPrivate(cipher, row), given));
    const at = app.clock.now();
    const written = await store.writeCredential(tx, tenant, {
      id: newId(),
      source: given.provider,
      private: sealPrivate(cipher, after),
      at,
    });
    const set = credentialOf(cipher, written);
    await audit(tx, {
      ...by,
      orgId,
      teamId: tenant.teamId,
      action: 'custom_credentials.set',
      subject: set.id,
      before: before && told(before, tenant),
      after: told(set, tenant),
      at,
    });
    return set;
  });
}

function requireAccepted(provider: string): Accepts {
  const accepts = acceptedBy(provider);
  if (accepts) return accepts;
  throw new DomainError('bad_request', `${provider} takes no credentials of a team`);
}

function requireFitting(given: Given, environment: Environment): void {
  const { provider, details, redirect_url_override: redirect } = given;
  if (details && !belongsTo(provider, details)) {
    throw invalidField(['body', 'details'], `these are not the details of ${provider}`);
  }
  if (redirect && environment === 'production' && !redirect.startsWith('https:')) {
    throw invalidField(['body', 'redirect_url_override'], 'expected an https address');
  }
}

function changed(before: Private | undefined, given: Given): Private {
  const clientId = given.client_id ?? before?.client_id ?? null;
  // A secret belongs to its client id.
  const keptSecret = before && before.client_id === clientId ? before.client_secret : null;
  const redirect = given.redirect_url_override;
  return {
    client_id: clientId,
    client_secret: given.client_secret ?? keptSecret,
    details: given.details ? whole(given.details, before?.details) : (before?.details ?? null),
    redirect_url_override: redirect === undefined ? (before?.redirect_url_override ?? null) : redirect,
  };
}

/** The details with their secrets; a mask that stands for none is a mistake. */
function whole(given: Details, before: Details | null | undefined): Details {
  const unveiled = unmasked(given, before);
  const parsed = Details.safeParse(unveiled);
  // What a laboratory gave may be of any shape: a hole in it would be no mistake to its schema.
  if (parsed.success && !hasGap(unveiled)) return parsed.data;
  throw invalidField(['body', 'details'], 'a secret is masked, and none was set before');
}

function requireWhole({ needs }: Accepts, after: Private): Private {
  for (const field of needs) {
    if (after[field] === null) throw invalidField(['body', field], 'expected for this provider');
  }
  if (after.client_id === null && after.client_secret === null && after.details === null) {
    throw invalidField(['body'], 'expected a client_id, a client_secret or details');
  }
  return after;
}

/** For the audit log: no secret, no digest of one either, and no address of a person. */
const told = (
  { source, clientId, secretHash, details, redirectUrl }: Credential,
  { environment }: Tenant,
) => ({
  environment,
  provider: source,
  client_id: clientId,
  has_client_secret: secretHash !== null,
  details: withoutAddresses(masked(details)),
  redirect_url_override: redirectUrl,
});

/** Whose credentials somebody deletes; `teamIds` null is all of the organization. */
export interface Deleting {
  readonly orgId: string;
  readonly environment: Environment;
  readonly teamIds: readonly string[] | null;
  readonly ids: readonly string[];
  readonly by: Author;
}

/** Takes credentials away; answers the ids of those that were there. */
export async function deleteCredentials(app: App, deleting: Deleting): Promise<string[]> {
  const { orgId, environment, teamIds, by } = deleting;
  const ids = [...new Set(deleting.ids.map((id) => id.toLowerCase()))];
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const page = { orgId, environment, teamIds, ids, source: undefined, after: undefined, limit: ids.length };
    const rows = await store.listCredentials(tx, page);
    for (const row of rows) {
      const tenant = { teamId: row.team_id, environment };
      await store.deleteCredential(tx, tenant, row.id);
      const before = told(credentialOf(await app.keyring.of(tenant, tx), row), tenant);
      const deed = { action: 'custom_credentials.delete', subject: row.id, before, at: app.clock.now() };
      await audit(tx, { ...by, orgId, teamId: row.team_id, ...deed });
    }
    return rows.map(({ id }) => id);
  });
}
