interface Line {
  readonly position: number;
  readonly previous: string;
  readonly digest: string;
}

export interface ChainCheck {
  /** How many neighbors were compared and fit. */
  readonly links: number;
  /** The position of a line that does not name the digest of the line before it. */
  readonly broken: number | undefined;
  /** The oldest line that was seen: the next page continues there. */
  readonly oldest: Line | undefined;
}

/** Compares lines, newest first, with their neighbors. Lines that a filter left out are no break. */
export function checkChain(rows: readonly Line[], before: ChainCheck | undefined): ChainCheck {
  let links = before?.links ?? 0;
  let broken = before?.broken;
  let newer = before?.oldest;
  for (const line of rows) {
    if (newer?.position === line.position + 1) {
      if (newer.previous === line.digest) links += 1;
      else broken ??= newer.position;
    }
    newer = line;
  }
  return { links, broken, oldest: newer };
}
