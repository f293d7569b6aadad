/**
 * Where files lie. It is given sealed bytes and gives them back; what they say it cannot know. A key is made of
 * letters, digits, dashes and slashes.
 */
export interface FileStorage {
  /** Keeps the whole file or nothing; one that has this key is replaced. When it answers, the file survives a crash. */
  put(key: string, pieces: AsyncIterable<Buffer>): Promise<void>;
  /** The bytes in pieces of any size. Throws `NoSuchFile` before the first one where there is none. */
  get(key: string): AsyncIterable<Buffer>;
  /** Removes the file, and what an interrupted `put` has left of it. Removing what is not there is done already. */
  remove(key: string): Promise<void>;
}

export class NoSuchFile extends Error {
  constructor(key: string) {
    super(`There is no file ${key}`);
    this.name = 'NoSuchFile';
  }
}
