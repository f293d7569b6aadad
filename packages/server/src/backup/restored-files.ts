import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { FileStorage } from '../adapters/file-storage/port.ts';

/** Writes the files of a backup, one at a time: a new one closes the previous one. */
export class RestoredFiles {
  readonly #storage: FileStorage;
  #open: { key: string; bytes: PassThrough; stored: Promise<void> } | undefined;
  #count = 0;

  constructor(storage: FileStorage) {
    this.#storage = storage;
  }

  get count(): number {
    return this.#count;
  }

  /** Adds the next part of a file. */
  async gather(key: string, bytes: Buffer): Promise<void> {
    if (this.#open?.key !== key) {
      await this.close();
      const through = new PassThrough();
      // The stream may be destroyed before it is read; `stored` rejects with the cause.
      through.on('error', () => {});
      const stored = this.#storage.put(key, through);
      // The error is rethrown when the file is closed.
      stored.catch((error: unknown) => through.destroy(toError(error)));
      this.#open = { key, bytes: through, stored };
    }
    const { bytes: into } = this.#open;
    if (!into.write(bytes)) await once(into, 'drain');
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open.bytes.end();
    await this.#open.stored;
    this.#count += 1;
    this.#open = undefined;
  }

  /** Discards an incomplete file. Complete files stay, because they may have existed before. */
  async abort(error: unknown): Promise<void> {
    this.#open?.bytes.destroy(toError(error));
    await this.#open?.stored.catch(() => {});
  }
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
