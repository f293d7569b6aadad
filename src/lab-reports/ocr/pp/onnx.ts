/** What we know of a node of a network: what it does to which values, by their names. */
export interface Node {
  readonly kind: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Numbers that it was given, by their names. */
  readonly numbers: Readonly<Record<string, number>>;
  /** The tensor that it stands for, where it is a constant of decimal numbers. */
  readonly constant?: Constant;
  /** As it stands in the file; a new node has none. */
  readonly bytes?: Uint8Array;
}

export interface Constant {
  readonly dims: readonly number[];
  /** Four for each number. */
  readonly bytes: Uint8Array;
}

interface Field {
  readonly number: number;
  /** The value of a whole number; else 0. */
  readonly value: number;
  readonly bytes: Uint8Array;
  /** With its tag. */
  readonly whole: Uint8Array;
}

/** The numbers of the fields that we read, in the protocol buffers of an ONNX file. */
const GRAPH = 7;
const NODE = 1;
const OF_NODE = { input: 1, output: 2, kind: 4, attribute: 5 };
const OF_ATTRIBUTE = { name: 1, decimal: 2, tensor: 5, type: 20 };
const OF_TENSOR = { dims: 1, type: 2, decimals: 4, raw: 9 };
const DECIMAL = 1;
const TENSOR = 4;

/** The network with its nodes changed, all else as it was. */
export function withNodes(network: Uint8Array, change: (nodes: readonly Node[]) => readonly Node[]): Buffer {
  const parts = fieldsOf(network).map((field) => {
    if (field.number !== GRAPH) return field.whole;
    const fields = fieldsOf(field.bytes);
    const nodes = change(fields.filter(({ number }) => number === NODE).map(({ bytes }) => nodeOf(bytes)));
    const rest = fields.filter(({ number }) => number !== NODE).map(({ whole }) => whole);
    return tagged(GRAPH, [...nodes.map((node) => tagged(NODE, [node.bytes ?? bytesOf(node)])), ...rest]);
  });
  return Buffer.concat(parts);
}

function fieldsOf(bytes: Uint8Array): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): number => {
    let [value, unit] = [0, 1];
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined) throw new Error('The network breaks off');
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

/** Bytes of what is as long as its kind says. */
const SIZES: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

/** The first of decimal numbers. */
export const decimalOf = ({ buffer, byteOffset }: Uint8Array): number =>
  new DataView(buffer, byteOffset).getFloat32(0, true);

/** The bytes of a number, so often. */
export function repeated(value: number, count: number): Uint8Array {
  const bytes = Buffer.alloc(4 * count);
  for (let at = 0; at < count; at += 1) bytes.writeFloatLE(value, 4 * at);
  return bytes;
}

function nodeOf(bytes: Uint8Array): Node {
  const fields = fieldsOf(bytes);
  const all = (wanted: number): Uint8Array[] =>
    fields.filter(({ number }) => number === wanted).map((field) => field.bytes);
  const numbers: Record<string, number> = {};
  let constant: Constant | undefined;
  for (const attribute of all(OF_NODE.attribute)) {
    const inner = fieldsOf(attribute);
    const find = (wanted: number) => inner.find(({ number }) => number === wanted);
    const decimal = find(OF_ATTRIBUTE.decimal);
    const tensor = find(OF_ATTRIBUTE.tensor);
    if (decimal) numbers[textOf(find(OF_ATTRIBUTE.name)?.bytes ?? bytes)] = decimalOf(decimal.bytes);
    if (tensor) constant = constantOf(tensor.bytes);
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

/** Undefined for what is not of decimal numbers, or stands in the file in another way than usual. */
function constantOf(tensor: Uint8Array): Constant | undefined {
  const fields = fieldsOf(tensor);
  const dims = fields.filter(({ number }) => number === OF_TENSOR.dims).map(({ value }) => value);
  const type = fields.find(({ number }) => number === OF_TENSOR.type)?.value;
  const [data, ...others] = fields.filter(
    ({ number }) => number === OF_TENSOR.raw || number === OF_TENSOR.decimals,
  );
  const length = 4 * dims.reduce((product, side) => product * side, 1);
  const isUsual = type === DECIMAL && others.length === 0 && data?.bytes.length === length;
  return isUsual ? { dims, bytes: data.bytes } : undefined;
}

function bytesOf({ kind, inputs, outputs, numbers, constant }: Node): Buffer {
  return Buffer.concat([
    ...inputs.map((name) => tagged(OF_NODE.input, [Buffer.from(name)])),
    ...outputs.map((name) => tagged(OF_NODE.output, [Buffer.from(name)])),
    tagged(OF_NODE.kind, [Buffer.from(kind)]),
    ...Object.entries(numbers).map(([name, value]) =>
      tagged(OF_NODE.attribute, [
        tagged(OF_ATTRIBUTE.name, [Buffer.from(name)]),
        decimal(OF_ATTRIBUTE.decimal, value),
        whole(OF_ATTRIBUTE.type, DECIMAL),
      ]),
    ),
    ...(constant
      ? [
          tagged(OF_NODE.attribute, [
            tagged(OF_ATTRIBUTE.name, [Buffer.from('value')]),
            tagged(OF_ATTRIBUTE.tensor, [tensorOf(constant)]),
            whole(OF_ATTRIBUTE.type, TENSOR),
          ]),
        ]
      : []),
  ]);
}

const tensorOf = ({ dims, bytes }: Constant): Buffer =>
  Buffer.concat([
    ...dims.map((side) => whole(OF_TENSOR.dims, side)),
    whole(OF_TENSOR.type, DECIMAL),
    tagged(OF_TENSOR.raw, [bytes]),
  ]);

function varintOf(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80);
  return Buffer.from([...bytes, left]);
}

const whole = (number: number, value: number): Buffer =>
  Buffer.concat([varintOf(number * 8), varintOf(value)]);

const decimal = (number: number, value: number): Buffer =>
  Buffer.concat([varintOf(number * 8 + 5), repeated(value, 1)]);

const tagged = (number: number, parts: readonly Uint8Array[]): Buffer => {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([varintOf(number * 8 + 2), varintOf(length), ...parts]);
};
