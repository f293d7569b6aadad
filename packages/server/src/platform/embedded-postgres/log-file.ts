import { copyFile, open, stat, truncate } from 'node:fs/promises';

const LOG_LIMIT_BYTES = 10 * 1024 * 1024;

/** Limits the size of the log and of one predecessor. The server appends, so it continues after the truncation. */
export async function rotateLog(file: string, limitBytes = LOG_LIMIT_BYTES): Promise<void> {
  if ((await sizeOf(file)) <= limitBytes) return;
  await copyFile(file, `${file}.1`);
  await truncate(file);
}

export const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    (found) => found.size,
    () => 0,
  );

/** The last lines after this offset. */
export async function readTail(file: string, from: number, lines = 8): Promise<string> {
  const handle = await open(file).catch(() => undefined);
  if (!handle) return '';
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(16 * 1024), 0, 16 * 1024, from);
    return buffer.toString('utf8', 0, bytesRead).trim().split('\n').slice(-lines).join('\n');
  } finally {
    await handle.close();
  }
}
