import { copyFile, open, stat, truncate } from 'node:fs/promises';

const LOG_LIMIT_BYTES = 10 * 1024 * 1024;

/** Keeps the log and one predecessor below the limit each. The server appends, so it writes on after the cut. */
export async function boundLog(file: string, limitBytes = LOG_LIMIT_BYTES): Promise<void> {
  if ((await sizeOf(file)) <= limitBytes) return;
  await copyFile(file, `${file}.1`);
  await truncate(file);
}

export const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    (found) => found.size,
    () => 0,
  );

/** The last lines that the server wrote after this place. */
export async function tailOf(file: string, from: number, lines = 8): Promise<string> {
  const handle = await open(file).catch(() => undefined);
  if (!handle) return '';
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(16 * 1024), 0, 16 * 1024, from);
    return buffer.toString('utf8', 0, bytesRead).trim().split('\n').slice(-lines).join('\n');
  } finally {
    await handle.close();
  }
}
