import { resealUnclaimed } from '../laboratories/lab-connections/lab-connections.ts';
import { openApp, type BootOptions, type OpenedApp } from '../service.ts';

/** Re-wraps every data key with ENCRYPTION_KEY, and reseals data that belong to no tenant. */
export async function rewrap(given: BootOptions): Promise<void> {
  const { PREVIOUS_ENCRYPTION_KEY } = given.config;
  const opened = await openExclusively(given);
  try {
    const count = await opened.app.keyring.rewrap(PREVIOUS_ENCRYPTION_KEY).catch((error: unknown) => {
      throw isWrongKeyError(error) ? new Error(WRONG_KEY) : error;
    });
    const letters =
      PREVIOUS_ENCRYPTION_KEY === undefined ? 0 : await resealUnclaimed(opened.app, PREVIOUS_ENCRYPTION_KEY);
    const told =
      count + letters === 0
        ? 'Nothing to do: every data key is wrapped by ENCRYPTION_KEY.'
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
  'Some data keys can be opened with neither ENCRYPTION_KEY nor PREVIOUS_ENCRYPTION_KEY; nothing was changed. ' +
  'Set PREVIOUS_ENCRYPTION_KEY to the key that was in use before.';

/** The message of node:crypto for a sealed value that does not open. */
const isWrongKeyError = (error: unknown): boolean =>
  error instanceof Error && /unable to authenticate/.test(error.message);
