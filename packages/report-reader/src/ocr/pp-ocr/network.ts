/** A tensor of 32-bit floats. */
export interface Tensor {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

/** A neural network with one input and one output tensor. */
export type NeuralNetwork = (data: Float32Array, dims: readonly number[]) => Promise<Tensor>;
