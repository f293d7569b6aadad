import { resealUnclaimed } from '../lab-testing/lab-connections/lab-connections.ts';
import { openApp, type Ground, type Opened } from '../service.ts';

/** Wraps every data key with ENCRYPTION_KEY, and seals anew what belongs to no tenant. */
export async function rewrap(given: Ground): Promise<void> {
  const { PREVIOUS_ENCRYPTION_KEY } = given.config;
  const opened = await openAlone(given);
  try {
    const count = await opened.app.keyring.rewrap(PREVIOUS_ENCRYPTION_KEY).catch((error: unknown) => {
      throw wrongKey(error) ? new Error(WRONG_KEY) : error;
    });
    const letters =
      PREVIOUS_ENCRYPTION_KEY === undefined ? 0 : await resealUnclaimed(opened.app, PREVIOUS_ENCRYPTION_KEY);
    const told =
      count + letters === 0
        ? 'Nothing to do: every data key is wrapped by ENCRYPTION_KEY.'
        : `${count} data key(s) re-wrapped${letters === 0 ? '' : `, ${letters} message(s) of nobody sealed anew`}.`;
    process.stdout.write(`${told}\n`);
  } finally {
    await opened.close();
  }
}

/** The embedded database belongs to one process; who runs this while the service runs is told what to do. */
function openAlone(given: Ground): Promise<Opened> {
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
  'Some data keys open neither with ENCRYPTION_KEY nor with PREVIOUS_ENCRYPTION_KEY; nothing was changed. ' +
  'Set PREVIOUS_ENCRYPTION_KEY to the key that was in use before.';

/** How node:crypto says that a sealed value does not open. */
const wrongKey = (error: unknown): boolean =>
  error instanceof Error && /unable to authenticate/.test(error.message);
