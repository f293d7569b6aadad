import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

/**
 * Windows has no private socket folder, so the server listens on the loopback interface with a password. This has not
 * been tested on Windows; PostgreSQL also refuses to start from an administrator's prompt there.
 */
export async function openPassword(folder: string): Promise<{ passwordFile: string; password: string }> {
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600, flag: 'wx' }).catch(
    () => undefined,
  );
  return { passwordFile, password: (await readFile(passwordFile, 'utf8')).trim() };
}

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 5432));
    });
  });
