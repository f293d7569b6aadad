/** One measured case. `ratio` and `goal` are better when higher. */
export interface Result {
  readonly name: string;
  /** Requests or deliveries a second, or milliseconds where `unit` says so. */
  readonly ours: number;
  readonly bare: number;
  readonly ratio: number;
  readonly goal: number;
  readonly unit?: 'ms';
}
