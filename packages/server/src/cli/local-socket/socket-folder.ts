import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The name is 13 bytes and a slash; a socket path is limited to 103 bytes on macOS, 107 on Linux. */
const FOLDER_LIMIT_BYTES = 103 - 14;

/** The end of the name of every socket in the folder. Each process of a service has its own. */
export const SOCKET_SUFFIX = '.sock';

/** The folder of the sockets: in the data folder, or in the temporary folder if that path would be too long. */
export function socketFolderOf(dataDir: string): string {
  const near = join(resolve(dataDir), 'run');
  if (Buffer.byteLength(near) <= FOLDER_LIMIT_BYTES) return near;
  const name = createHash('sha256').update(near).digest('hex').slice(0, 16);
  return join(tmpdir(), `aliquot-run-${name}`);
}

/** Whether nobody else can put a socket into the folder: it is private, and belongs to us or to root calls. */
export async function isPrivateFolder(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  const me = process.getuid?.();
  return (
    found !== undefined && found.isDirectory() && (found.mode & 0o077) === 0 && (found.uid === me || me === 0)
  );
}
