import { DomainError } from '../errors.ts';

const RETRY_AFTER_SECONDS = 1;

/** The bytes that one request holds. */
export interface BodyShare {
  /** Throws 503 if the budget has no room for this many more bytes. */
  take(bytes: number): void;
  /** Returns everything that was taken. */
  release(): void;
}

/** A budget for request bodies that are in memory at the same time, over all connections. */
export class BodyMemory {
  readonly #limitBytes: number;
  readonly #parent: BodyMemory | undefined;
  #heldBytes = 0;

  /** What is taken from a part is also taken from its parent. */
  constructor(limitBytes: number, parent?: BodyMemory) {
    this.#limitBytes = limitBytes;
    this.#parent = parent;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  openShare(): BodyShare {
    let taken = 0;
    return {
      take: (bytes) => {
        if (!this.#add(bytes))
          throw new DomainError(
            'unavailable',
            'Too many request bodies are being received; try again later',
            RETRY_AFTER_SECONDS,
          );
        taken += bytes;
      },
      release: () => {
        this.#remove(taken);
        taken = 0;
      },
    };
  }

  #add(bytes: number): boolean {
    if (this.#heldBytes + bytes > this.#limitBytes) return false;
    if (this.#parent && !this.#parent.#add(bytes)) return false;
    this.#heldBytes += bytes;
    return true;
  }

  #remove(bytes: number): void {
    this.#heldBytes -= bytes;
    if (this.#parent) this.#parent.#remove(bytes);
  }
}
