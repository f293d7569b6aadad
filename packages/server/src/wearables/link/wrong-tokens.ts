import type { App } from '../../app.ts';
import { recordWrongToken } from '../../hosted/hosted.ts';
import { LinkError } from '../connections/connect.ts';

/** Opens a link token, and counts a wrong one. */
export async function countWrongTokens<T>(app: App, address: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof LinkError && error.errorType === 'invalid_token') recordWrongToken(app, address);
    throw error;
  }
}
