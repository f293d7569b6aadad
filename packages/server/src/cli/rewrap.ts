import { rewrapOrganizationKeys } from '../identity/organization-keys/organization-keys.ts';
import { resealUnclaimed } from '../laboratories/lab-connections/lab-connections.ts';
import { KeyProviderError } from '../platform/crypto/key-provider.ts';
import { createLocalKeyProvider } from '../platform/crypto/local-key-provider.ts';
import { openApp, openAppBesideService, type BootOptions, type OpenedApp } from '../service.ts';

/** Re-wraps every data key with the current key provider, and reseals data that belong to no tenant. */
export async function rewrap(given: BootOptions): Promise<void> {
  const { PREVIOUS_ENCRYPTION_KEY, ADDITIONAL_KEY_PROVIDER } = given.config;
  // A service that knows both keys is not disturbed; one that knows only the old key must not run.
  const opened =
    ADDITIONAL_KEY_PROVIDER === undefined ? await openExclusively(given) : await openAppBesideService(given);
  try {
    const previous =
      PREVIOUS_ENCRYPTION_KEY === undefined
        ? undefined
        : createLocalKeyProvider({ key: PREVIOUS_ENCRYPTION_KEY });
    const tenantKeys = await opened.app.keyring.rewrap(previous).catch((error: unknown) => {
      throw isWrongKeyError(error) ? new Error(`${WRONG_KEY} ${error.message}.`) : error;
    });
    const organizationKeys =
      PREVIOUS_ENCRYPTION_KEY === undefined
        ? 0
        : await rewrapOrganizationKeys(opened.app, PREVIOUS_ENCRYPTION_KEY);
    const count = tenantKeys + organizationKeys;
    const letters =
      PREVIOUS_ENCRYPTION_KEY === undefined ? 0 : await resealUnclaimed(opened.app, PREVIOUS_ENCRYPTION_KEY);
    const { name, fingerprint } = opened.app.keyring.provider;
    const told =
      count + letters === 0
        ? `Nothing to do: every data key is wrapped by the current key (${name} ${fingerprint}).`
        : `${count} data key(s) re-wrapped${letters === 0 ? '' : `, ${letters} unassigned message(s) resealed`}.`;
    process.stdout.write(`${told}\n`);
  } finally {
    await opened.close();
  }
}

/** Only one process can use the embedded database, so the error for a running service tells what to do. */
function openExclusively(given: BootOptions): Promise<OpenedApp> {
  return openApp(given).catch((error: unknown) => {
    const owner = error instanceof Error ? /is in use by process (\d+)/.exec(error.message)?.[1] : undefined;
    if (owner === undefined) throw error;
    throw new Error(
      `The service (process ${owner}) is running on the embedded database in ${given.config.DATA_DIR}. ` +
        'Stop it, run this command again, and start it with the new ENCRYPTION_KEY.',
    );
  });
}

const WRONG_KEY =
  'Some data keys can be opened with neither ENCRYPTION_KEY nor PREVIOUS_ENCRYPTION_KEY, nor by the key providers; ' +
  'they were not changed. Set PREVIOUS_ENCRYPTION_KEY or ADDITIONAL_KEY_PROVIDER to the key that was in use before.';

const isWrongKeyError = (error: unknown): error is KeyProviderError =>
  error instanceof KeyProviderError && error.reason === 'wrong_key';
