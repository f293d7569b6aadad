/** Who knows what the owner of a domain has written into its DNS. */
export interface TextRecords {
  /**
   * The TXT records of a name, each as one text, in no order; none where there is no such name.
   * Throws a `LookUpFailed` where no name server says one or the other.
   */
  of(name: string): Promise<string[]>;
}

/** No answer is to be had at the moment; asking again later may help. */
export class LookUpFailed extends Error {
  /** As the resolver says it, `ESERVFAIL`. */
  readonly code: string;

  constructor(code: string) {
    super(`The name servers did not answer: ${code}`);
    this.name = 'LookUpFailed';
    this.code = code;
  }
}
