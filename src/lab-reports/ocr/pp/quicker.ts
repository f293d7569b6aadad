import { type Node, decimalOf, repeated, withNodes } from './onnx.ts';

/**
 * The same network with what it does to every number in a chain of short steps done in fewer of them: the runtime goes
 * over all of a picture for each, and cannot keep it in the order that it computes quickest in. It answers the same but
 * for the last digits. What is not known as such a chain stays as it is.
 */
export const quicker = (network: Uint8Array): Buffer =>
  withNodes(network, (nodes) => withoutScalings(withoutSwishes(nodes)));

/** Who makes a value, and who uses it. */
interface Flow {
  readonly maker: ReadonlyMap<string, Node>;
  readonly users: ReadonlyMap<string, readonly Node[]>;
}

function flowOf(nodes: readonly Node[]): Flow {
  const maker = new Map<string, Node>();
  const users = new Map<string, Node[]>();
  for (const node of nodes) {
    for (const output of node.outputs) maker.set(output, node);
    for (const input of node.inputs) users.set(input, [...(users.get(input) ?? []), node]);
  }
  return { maker, users };
}

/** The only user of what a node makes, if it is of this kind. */
function nextOf({ users }: Flow, { outputs: [made = ''] }: Node, kind: string): Node | undefined {
  const [user, ...others] = users.get(made) ?? [];
  return others.length === 0 && user?.kind === kind ? user : undefined;
}

/** The number that a node stands for; undefined for none or several. */
const numberOf = (node: Node | undefined): number | undefined =>
  node?.constant?.bytes.length === 4 ? decimalOf(node.constant.bytes) : undefined;

/** The single number among the inputs of a node, and the name of the other one. */
function scalarOf({ maker }: Flow, { inputs }: Node): { scalar: number; other: string } | undefined {
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

/** x * clip(x + 3, 0, 6) / 6: the hard swish, in two steps instead of four. */
function withoutSwishes(nodes: readonly Node[]): Node[] {
  const flow = flowOf(nodes);
  const fresh = new Map<Node, readonly Node[]>();
  for (const node of nodes) {
    const sum = node.kind === 'Add' ? scalarOf(flow, node) : undefined;
    const clip = sum?.scalar === 3 ? nextOf(flow, node, 'Clip') : undefined;
    const product = clip && nextOf(flow, clip, 'Mul');
    const share = product && nextOf(flow, product, 'Div');
    if (!sum || !clip || !product || !share || !product.inputs.includes(sum.other)) continue;
    if (!isBetween(flow, clip, [0, 6]) || scalarOf(flow, share)?.scalar !== 6) continue;
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

/** Whether a clip has these bounds, which are numbers of its own or inputs, as its age wants it. */
const isBetween = ({ maker }: Flow, { inputs, numbers }: Node, bounds: readonly [number, number]): boolean =>
  [numbers.min, numbers.max].every(
    (own, at) => (own ?? numberOf(maker.get(inputs[at + 1] ?? ''))) === bounds[at],
  );

/** What leaves a picture as many channels as it had. */
const ALIKE = /^(?:Add|BatchNormalization|Clip|HardSigmoid|Mul|Relu|Sigmoid)$/;

/** a * x + b, for one a and one b: a normalisation, which the runtime makes part of the convolution before it. */
function withoutScalings(nodes: readonly Node[]): Node[] {
  const flow = flowOf(nodes);
  const channels = new Map<string, number>();
  const fresh = new Map<Node, readonly Node[]>();
  for (const node of nodes) {
    const [made = ''] = node.outputs;
    const count = channelsOf(node, flow, channels);
    if (count === undefined) continue;
    channels.set(made, count);
    const factor = node.kind === 'Mul' ? scalarOf(flow, node) : undefined;
    const sum = factor && nextOf(flow, node, 'Add');
    const term = sum && scalarOf(flow, sum);
    if (!factor || !sum || !term) continue;
    const [name = ''] = sum.outputs;
    const vector = (role: string, value: number): Node => ({
      kind: 'Constant',
      inputs: [],
      outputs: [`${name}.${role}`],
      numbers: {},
      constant: { dims: [count], bytes: repeated(value, count) },
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
  { kind, inputs }: Node,
  { maker }: Flow,
  channels: ReadonlyMap<string, number>,
): number | undefined {
  if (kind === 'Conv') return maker.get(inputs[1] ?? '')?.constant?.dims[0];
  if (!ALIKE.test(kind)) return undefined;
  const known = inputs.flatMap((name) => channels.get(name) ?? []);
  return new Set(known).size === 1 ? known[0] : undefined;
}
