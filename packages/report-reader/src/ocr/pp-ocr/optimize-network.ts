import { type OnnxNode, readFloat, repeatFloat, rewriteNodes } from './onnx.ts';

/**
 * Fuses chains of elementwise operators in a network. For each operator, the runtime passes over the whole tensor and
 * loses its fast memory layout. The output is the same up to rounding. Unknown patterns stay unchanged.
 */
export const optimizeNetwork = (network: Uint8Array): Buffer =>
  rewriteNodes(network, (nodes) => fuseScalings(fuseHardSwishes(nodes)));

/** The producer and the consumers of each value. */
interface OnnxDataFlow {
  readonly maker: ReadonlyMap<string, OnnxNode>;
  readonly users: ReadonlyMap<string, readonly OnnxNode[]>;
}

function buildDataFlow(nodes: readonly OnnxNode[]): OnnxDataFlow {
  const maker = new Map<string, OnnxNode>();
  const users = new Map<string, OnnxNode[]>();
  for (const node of nodes) {
    for (const output of node.outputs) maker.set(output, node);
    for (const input of node.inputs) users.set(input, [...(users.get(input) ?? []), node]);
  }
  return { maker, users };
}

/** The consumer of a node's output, if it is the only one and of this kind. */
function onlyUserOf(
  { users }: OnnxDataFlow,
  { outputs: [made = ''] }: OnnxNode,
  kind: string,
): OnnxNode | undefined {
  const [user, ...others] = users.get(made) ?? [];
  return others.length === 0 && user?.kind === kind ? user : undefined;
}

/** The value of a scalar constant; undefined for other nodes. */
const numberOf = (node: OnnxNode | undefined): number | undefined =>
  node?.constant?.bytes.length === 4 ? readFloat(node.constant.bytes) : undefined;

/** The scalar input of a node, and the name of its other input. */
function scalarOf(
  { maker }: OnnxDataFlow,
  { inputs }: OnnxNode,
): { scalar: number; other: string } | undefined {
  const [left = '', right = ''] = inputs;
  for (const [name, other] of [
    [left, right],
    [right, left],
  ] as const) {
    const scalar = numberOf(maker.get(name));
    if (scalar !== undefined) return { scalar, other };
  }
  return undefined;
}

/** Replaces x * clip(x + 3, 0, 6) / 6 (hard swish) by two operators instead of four. */
function fuseHardSwishes(nodes: readonly OnnxNode[]): OnnxNode[] {
  const flow = buildDataFlow(nodes);
  const fresh = new Map<OnnxNode, readonly OnnxNode[]>();
  for (const node of nodes) {
    const sum = node.kind === 'Add' ? scalarOf(flow, node) : undefined;
    const clip = sum?.scalar === 3 ? onlyUserOf(flow, node, 'Clip') : undefined;
    const product = clip && onlyUserOf(flow, clip, 'Mul');
    const share = product && onlyUserOf(flow, product, 'Div');
    if (!sum || !clip || !product || !share || !product.inputs.includes(sum.other)) continue;
    if (!hasBounds(flow, clip, [0, 6]) || scalarOf(flow, share)?.scalar !== 6) continue;
    if (share.inputs[0] !== product.outputs[0]) continue;
    const gate = `${share.outputs[0]}.gate`;
    for (const part of [node, clip, product]) fresh.set(part, []);
    fresh.set(share, [
      {
        kind: 'HardSigmoid',
        inputs: [sum.other],
        outputs: [gate],
        numbers: { alpha: 1 / 6, beta: 0.5 },
      },
      { kind: 'Mul', inputs: [sum.other, gate], outputs: share.outputs, numbers: {} },
    ]);
  }
  return nodes.flatMap((node) => fresh.get(node) ?? [node]);
}

/** Whether a Clip node has these bounds, as attributes (old opsets) or as inputs. */
const hasBounds = (
  { maker }: OnnxDataFlow,
  { inputs, numbers }: OnnxNode,
  bounds: readonly [number, number],
): boolean =>
  [numbers.min, numbers.max].every(
    (own, at) => (own ?? numberOf(maker.get(inputs[at + 1] ?? ''))) === bounds[at],
  );

/** Operators that keep the number of channels. */
const ALIKE = /^(?:Add|BatchNormalization|Clip|HardSigmoid|Mul|Relu|Sigmoid)$/;

/** Replaces a * x + b with scalars by a batch normalization, which the runtime fuses into the preceding convolution. */
function fuseScalings(nodes: readonly OnnxNode[]): OnnxNode[] {
  const flow = buildDataFlow(nodes);
  const channels = new Map<string, number>();
  const fresh = new Map<OnnxNode, readonly OnnxNode[]>();
  for (const node of nodes) {
    const [made = ''] = node.outputs;
    const count = channelsOf(node, flow, channels);
    if (count === undefined) continue;
    channels.set(made, count);
    const factor = node.kind === 'Mul' ? scalarOf(flow, node) : undefined;
    const sum = factor && onlyUserOf(flow, node, 'Add');
    const term = sum && scalarOf(flow, sum);
    if (!factor || !sum || !term) continue;
    const [name = ''] = sum.outputs;
    const vector = (role: string, value: number): OnnxNode => ({
      kind: 'Constant',
      inputs: [],
      outputs: [`${name}.${role}`],
      numbers: {},
      constant: { dims: [count], bytes: repeatFloat(value, count) },
    });
    const vectors = [
      vector('scale', factor.scalar),
      vector('bias', term.scalar),
      vector('mean', 0),
      vector('variance', 1),
    ];
    const inputs = [factor.other, ...vectors.flatMap(({ outputs }) => outputs)];
    fresh.set(node, []);
    fresh.set(sum, [
      ...vectors,
      { kind: 'BatchNormalization', inputs, outputs: sum.outputs, numbers: { epsilon: 0 } },
    ]);
  }
  return nodes.flatMap((node) => fresh.get(node) ?? [node]);
}

function channelsOf(
  { kind, inputs }: OnnxNode,
  { maker }: OnnxDataFlow,
  channels: ReadonlyMap<string, number>,
): number | undefined {
  if (kind === 'Conv') return maker.get(inputs[1] ?? '')?.constant?.dims[0];
  if (!ALIKE.test(kind)) return undefined;
  const known = inputs.flatMap((name) => channels.get(name) ?? []);
  return new Set(known).size === 1 ? known[0] : undefined;
}
