/** The file as a whole cannot be read: nothing of it is stored. `place` is a byte, a line or an entry. */
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
  /** As `line 120` or `byte 4711`. */
  readonly place: string;
  readonly reason: string;
}

/** So many faults are told one by one; the others are only counted. */
const FAULTS_TOLD_MAX = 100;
/** A file of a stranger may name a million kinds of record. */
const KINDS_MAX = 200;
const LENGTH_MAX = 200;

/** What a reader has to say of a file beside its readings. */
export class FileReport {
  readonly faults: FileFault[] = [];
  faultCount = 0;
  /** Records that nothing was made of, by their kind. */
  readonly skipped = new Map<string, number>();
  /** Bytes read so far, and how many there are; of an archive those of what is in it. */
  done = 0;
  total = 0;

  /** Something in the file cannot be understood and was left out. */
  fault(place: string, reason: string): void {
    this.faultCount += 1;
    if (this.faults.length < FAULTS_TOLD_MAX) this.faults.push({ place, reason: short(reason) });
  }

  /** Something in the file has no place among our resources. */
  skip(kind: string, count = 1): void {
    const name = this.skipped.has(kind) || this.skipped.size < KINDS_MAX ? short(kind) : 'others';
    this.skipped.set(name, (this.skipped.get(name) ?? 0) + count);
  }

  /** What another has to say of the same file. */
  add({ faults, faultCount, skipped }: Pick<FileReport, 'faults' | 'faultCount' | 'skipped'>): void {
    for (const { place, reason } of faults) this.fault(place, reason);
    this.faultCount += faultCount - faults.length;
    for (const [kind, count] of skipped) this.skip(kind, count);
  }
}

const short = (text: string): string =>
  text.length > LENGTH_MAX ? `${ownText(text, LENGTH_MAX)}…` : ownText(text, LENGTH_MAX);

/** The beginning of a text, as a text of its own: a part of another would keep all of that in memory. */
export const ownText = (text: string, most: number): string => Buffer.from(text.slice(0, most)).toString();
