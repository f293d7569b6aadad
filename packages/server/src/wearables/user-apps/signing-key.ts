import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { App } from '../../app.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant, readTenant, type Work } from '../../platform/work.ts';
import * as store from './store.ts';

const PLACE = 'user_app_key.private';
const MODULUS_BITS = 2048;
const generate = promisify(generateKeyPair);

/** The key with which sign-in tokens of the tenant are signed. Made when it is first needed, outside any transaction. */
export async function ensureSigningKey(app: App, tenant: Tenant): Promise<KeyObject> {
  const known = await readTenant(app, tenant, findPrivateKey);
  if (known) return known;
  const { publicKey, privateKey } = await generate('rsa', {
    modulusLength: MODULUS_BITS,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return inTenant(app, tenant, async (work) => {
    await store.insertKey(work, { publicKey, sealed: work.cipher.seal(privateKey, PLACE) });
    const kept = await findPrivateKey(work);
    if (!kept) throw new Error('The signing key was not stored');
    return kept;
  });
}

async function findPrivateKey(work: Work): Promise<KeyObject | undefined> {
  const row = await store.findKey(work);
  return row && createPrivateKey(work.cipher.open(row.private, PLACE));
}

/** The key that verifies them; undefined where no token was ever signed. */
export async function findPublicKey(app: App, tenant: Tenant): Promise<KeyObject | undefined> {
  const row = await readTenant(app, tenant, store.findKey);
  return row && createPublicKey(row.public_key);
}
