/** A node of an ONNX graph: its operator, and the names of its inputs and outputs. */
export interface OnnxNode {
  readonly kind: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Float attributes by name. */
  readonly numbers: Readonly<Record<string, number>>;
  /** The value, if the node is a float constant. */
  readonly constant?: OnnxConstant;
  /** The encoded node of the file; absent for a new node. */
  readonly bytes?: Uint8Array;
}

interface OnnxConstant {
  readonly dims: readonly number[];
  /** Little-endian floats, four bytes each. */
  readonly bytes: Uint8Array;
}

interface ProtobufField {
  readonly number: number;
  /** The value of a varint field, otherwise 0. */
  readonly value: number;
  readonly bytes: Uint8Array;
  /** The field including its tag. */
  readonly whole: Uint8Array;
}

/** Protocol buffer field numbers of an ONNX file. */
const GRAPH = 7;
const NODE = 1;
const OF_NODE = { input: 1, output: 2, kind: 4, attribute: 5 };
const OF_ATTRIBUTE = { name: 1, decimal: 2, tensor: 5, type: 20 };
const OF_TENSOR = { dims: 1, type: 2, decimals: 4, raw: 9 };
const DECIMAL = 1;
const TENSOR = 4;

/** Rewrites the nodes of an ONNX file and copies everything else unchanged. */
export function rewriteNodes(
  network: Uint8Array,
  change: (nodes: readonly OnnxNode[]) => readonly OnnxNode[],
): Buffer {
  const parts = parseFields(network).map((field) => {
    if (field.number !== GRAPH) return field.whole;
    const fields = parseFields(field.bytes);
    const nodes = change(fields.filter(({ number }) => number === NODE).map(({ bytes }) => parseNode(bytes)));
    const rest = fields.filter(({ number }) => number !== NODE).map(({ whole }) => whole);
    return encodeMessage(GRAPH, [
      ...nodes.map((node) => encodeMessage(NODE, [node.bytes ?? encodeNode(node)])),
      ...rest,
    ]);
  });
  return Buffer.concat(parts);
}

function parseFields(bytes: Uint8Array): ProtobufField[] {
  const fields: ProtobufField[] = [];
  let at = 0;
  const varint = (): number => {
    let [value, unit] = [0, 1];
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined) throw new Error('The ONNX file is truncated');
      at += 1;
      value += (byte & 0x7f) * unit;
      unit *= 0x80;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const start = at;
    const key = varint();
    const [number, wire] = [key >>> 3, key & 7];
    const value = wire === 0 ? varint() : 0;
    const length = wire === 2 ? varint() : (SIZES[wire] ?? 0);
    const from = at;
    at += length;
    fields.push({ number, value, bytes: bytes.subarray(from, at), whole: bytes.subarray(start, at) });
  }
  return fields;
}

/** Length in bytes of fixed-size wire types. */
const SIZES: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

/** The first float. */
export const readFloat = ({ buffer, byteOffset }: Uint8Array): number =>
  new DataView(buffer, byteOffset).getFloat32(0, true);

/** Encodes a float `count` times. */
export function repeatFloat(value: number, count: number): Uint8Array {
  const bytes = Buffer.alloc(4 * count);
  for (let at = 0; at < count; at += 1) bytes.writeFloatLE(value, 4 * at);
  return bytes;
}

function parseNode(bytes: Uint8Array): OnnxNode {
  const fields = parseFields(bytes);
  const all = (wanted: number): Uint8Array[] =>
    fields.filter(({ number }) => number === wanted).map((field) => field.bytes);
  const numbers: Record<string, number> = {};
  let constant: OnnxConstant | undefined;
  for (const attribute of all(OF_NODE.attribute)) {
    const inner = parseFields(attribute);
    const find = (wanted: number) => inner.find(({ number }) => number === wanted);
    const decimal = find(OF_ATTRIBUTE.decimal);
    const tensor = find(OF_ATTRIBUTE.tensor);
    if (decimal) numbers[textOf(find(OF_ATTRIBUTE.name)?.bytes ?? bytes)] = readFloat(decimal.bytes);
    if (tensor) constant = parseConstant(tensor.bytes);
  }
  return {
    kind: all(OF_NODE.kind).map(textOf).join(''),
    inputs: all(OF_NODE.input).map(textOf),
    outputs: all(OF_NODE.output).map(textOf),
    numbers,
    ...(constant && { constant }),
    bytes,
  };
}

/** Undefined if the tensor is not float, or is stored in an unusual way. */
function parseConstant(tensor: Uint8Array): OnnxConstant | undefined {
  const fields = parseFields(tensor);
  const dims = fields.filter(({ number }) => number === OF_TENSOR.dims).map(({ value }) => value);
  const type = fields.find(({ number }) => number === OF_TENSOR.type)?.value;
  const [data, ...others] = fields.filter(
    ({ number }) => number === OF_TENSOR.raw || number === OF_TENSOR.decimals,
  );
  const length = 4 * dims.reduce((product, side) => product * side, 1);
  const isUsual = type === DECIMAL && others.length === 0 && data?.bytes.length === length;
  return isUsual ? { dims, bytes: data.bytes } : undefined;
}

function encodeNode({ kind, inputs, outputs, numbers, constant }: OnnxNode): Buffer {
  return Buffer.concat([
    ...inputs.map((name) => encodeMessage(OF_NODE.input, [Buffer.from(name)])),
    ...outputs.map((name) => encodeMessage(OF_NODE.output, [Buffer.from(name)])),
    encodeMessage(OF_NODE.kind, [Buffer.from(kind)]),
    ...Object.entries(numbers).map(([name, value]) =>
      encodeMessage(OF_NODE.attribute, [
        encodeMessage(OF_ATTRIBUTE.name, [Buffer.from(name)]),
        encodeFloat(OF_ATTRIBUTE.decimal, value),
        encodeInteger(OF_ATTRIBUTE.type, DECIMAL),
      ]),
    ),
    ...(constant
      ? [
          encodeMessage(OF_NODE.attribute, [
            encodeMessage(OF_ATTRIBUTE.name, [Buffer.from('value')]),
            encodeMessage(OF_ATTRIBUTE.tensor, [encodeTensor(constant)]),
            encodeInteger(OF_ATTRIBUTE.type, TENSOR),
          ]),
        ]
      : []),
  ]);
}

const encodeTensor = ({ dims, bytes }: OnnxConstant): Buffer =>
  Buffer.concat([
    ...dims.map((side) => encodeInteger(OF_TENSOR.dims, side)),
    encodeInteger(OF_TENSOR.type, DECIMAL),
    encodeMessage(OF_TENSOR.raw, [bytes]),
  ]);

function encodeVarint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80);
  return Buffer.from([...bytes, left]);
}

const encodeInteger = (number: number, value: number): Buffer =>
  Buffer.concat([encodeVarint(number * 8), encodeVarint(value)]);

const encodeFloat = (number: number, value: number): Buffer =>
  Buffer.concat([encodeVarint(number * 8 + 5), repeatFloat(value, 1)]);

const encodeMessage = (number: number, parts: readonly Uint8Array[]): Buffer => {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([encodeVarint(number * 8 + 2), encodeVarint(length), ...parts]);
};
