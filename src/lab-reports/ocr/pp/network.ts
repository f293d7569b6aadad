/** Numbers in some dimensions. */
export interface Tensor {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

/** A network: numbers in, numbers out. */
export type Network = (data: Float32Array, dims: readonly number[]) => Promise<Tensor>;
