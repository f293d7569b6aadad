/** The file cannot be read. `place` is a byte, a line or an archive entry. */
export class UnreadableFile extends Error {
  readonly reason: string;
  readonly place: string | null;
  constructor(reason: string, place: string | null = null) {
    super(place === null ? reason : `${place}: ${reason}`);
    this.name = 'UnreadableFile';
    this.reason = reason;
    this.place = place;
  }
}

export interface FileFault {
  /** For example `line 120` or `byte 4711`. */
  readonly place: string;
  readonly reason: string;
}

/** The maximum number of faults that are listed; the others are only counted. */
const FAULTS_LISTED_MAX = 100;
/** A hostile file may name a million kinds of record. */
const KINDS_MAX = 200;
const LENGTH_MAX = 200;

/** Progress, faults and skipped records of a file. */
export class FileReport {
  readonly faults: FileFault[] = [];
  faultCount = 0;
  /** The number of unused records, by kind. */
  readonly skipped = new Map<string, number>();
  /** Bytes read so far, and the total; for an archive, of its content. */
  done = 0;
  total = 0;

  /** Reports a part that cannot be understood and was left out. */
  fault(place: string, reason: string): void {
    this.faultCount += 1;
    if (this.faults.length < FAULTS_LISTED_MAX) this.faults.push({ place, reason: truncate(reason) });
  }

  /** Reports records that do not map to a resource. */
  skip(kind: string, count = 1): void {
    const name = this.skipped.has(kind) || this.skipped.size < KINDS_MAX ? truncate(kind) : 'others';
    this.skipped.set(name, (this.skipped.get(name) ?? 0) + count);
  }

  /** Merges another report of the same file. */
  add({ faults, faultCount, skipped }: Pick<FileReport, 'faults' | 'faultCount' | 'skipped'>): void {
    for (const { place, reason } of faults) this.fault(place, reason);
    this.faultCount += faultCount - faults.length;
    for (const [kind, count] of skipped) this.skip(kind, count);
  }
}

/** What a reader needs besides the file. */
export interface FileContext {
  readonly report: FileReport;
  /** The time zone of the user; null if unknown. It tells the days of files that state no offset. */
  readonly timeZone: string | null;
}

const truncate = (text: string): string =>
  text.length > LENGTH_MAX ? `${copyText(text, LENGTH_MAX)}…` : copyText(text, LENGTH_MAX);

/** Copies the beginning of a string: a slice would keep the whole string in memory. */
export const copyText = (text: string, most: number): string => Buffer.from(text.slice(0, most)).toString();
