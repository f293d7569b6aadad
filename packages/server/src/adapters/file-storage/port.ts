/**
 * Stores files as opaque bytes, which callers have encrypted. A key consists of letters, digits, underscores, dashes
 * and slashes.
 */
export interface FileStorage {
  /** Atomic: stores the whole file or nothing, and replaces an existing one. Durable once it resolves. */
  put(key: string, pieces: AsyncIterable<Buffer>): Promise<void>;
  /** The bytes in chunks of any size. Throws FileNotFoundError before the first chunk if there is no such file. */
  get(key: string): AsyncIterable<Buffer>;
  /** Removes the file and the remains of an interrupted `put`. Succeeds if there is no such file. */
  remove(key: string): Promise<void>;
  /** The complete files whose keys are `folder/NAME`, in any order. */
  list(folder: string): AsyncIterable<StoredFileInfo>;
  /** Removes the remains of an interrupted `put` of another process; a complete file with this key stays. */
  discardUnfinished(key: string): Promise<void>;
}

export interface StoredFileInfo {
  readonly key: string;
  readonly bytes: number;
}

export class FileNotFoundError extends Error {
  constructor(key: string) {
    super(`File not found: ${key}`);
    this.name = 'FileNotFoundError';
  }
}
