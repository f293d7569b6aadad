/** Looks up DNS TXT records, used to verify domains. */
export interface TxtResolver {
  /**
   * The TXT records of a name, each as one string, in no particular order; empty if the name or the record type does
   * not exist. Throws DnsLookupError if the name servers give no definite answer.
   */
  resolve(name: string): Promise<string[]>;
}

/** A temporary failure: a later retry may succeed. */
export class DnsLookupError extends Error {
  /** The resolver's code, for example `ESERVFAIL`. */
  readonly code: string;

  constructor(code: string) {
    super(`The name servers did not answer: ${code}`);
    this.name = 'DnsLookupError';
    this.code = code;
  }
}
