/**
 * The data key of an organization seals the secrets of its members, who belong to no tenant. It is stored wrapped by a
 * key that is derived from ENCRYPTION_KEY, and made when it is first needed.
 */
import { randomBytes } from 'node:crypto';
import type { App } from '../../app.ts';
import {
  initialDataKeys,
  openBytes,
  sealBytes,
  tenantCipher,
  type TenantCipher,
} from '../../platform/crypto/cipher.ts';
import { deriveKey } from '../../platform/crypto/keyring.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { requireFound } from '../../platform/errors.ts';
import * as store from './store.ts';

const WRAPPING_KEY = 'organization-keys';
const KEY_BYTES = 32;

const wrappingContext = (orgId: string): string => `organization_key/${orgId}`;

/** The cipher of an organization. Its places are bound to it: a value copied to another organization does not open. */
export async function organizationCipher(app: App, tx: Tx, orgId: string): Promise<TenantCipher> {
  const wrapping = app.keyring.derive(WRAPPING_KEY);
  const known = (await store.findKey(tx, orgId)) ?? (await createKey(app, tx, orgId));
  const key = openBytes(wrapping, known.wrapped_key, wrappingContext(orgId));
  return tenantCipher(initialDataKeys(key), `organization/${orgId}`);
}

async function createKey(app: App, tx: Tx, orgId: string): Promise<store.OrganizationKeyRow> {
  const wrapping = app.keyring.derive(WRAPPING_KEY);
  const wrappedKey = sealBytes(wrapping, randomBytes(KEY_BYTES), wrappingContext(orgId));
  await store.insertKey(tx, { org_id: orgId, wrapped_key: wrappedKey, created_at: app.clock.now() });
  return requireFound(await store.findKey(tx, orgId), 'Key of the organization');
}

/** Wraps the keys that the previous ENCRYPTION_KEY wrapped with the current one. Returns the number changed. */
export function rewrapOrganizationKeys(app: App, previousKey: string): Promise<number> {
  const previous = deriveKey(previousKey, WRAPPING_KEY);
  const current = app.keyring.derive(WRAPPING_KEY);
  return asSystem(app.db, async (tx) => {
    let changed = 0;
    for (const { org_id: orgId, wrapped_key: wrapped } of await store.lockKeys(tx)) {
      const key = tryToOpen(previous, wrapped, wrappingContext(orgId));
      if (!key) continue;
      await store.changeKey(tx, orgId, sealBytes(current, key, wrappingContext(orgId)));
      changed += 1;
    }
    return changed;
  });
}

/** Undefined for a key that is already wrapped with the current one. */
function tryToOpen(key: Buffer, sealed: Buffer, place: string): Buffer | undefined {
  try {
    return openBytes(key, sealed, place);
  } catch {
    return undefined;
  }
}
