import { createCanvas } from '@napi-rs/canvas';
import { seededNumbers } from './generated-report.ts';
import { generateCase } from './reports.ts';

const LAYOUTS = ['usHospital', 'usNarrow', 'ukPractice'];
const ROWS = [
  ['Test', 'Result', 'Units', 'Range'],
  ['Glucose', '112', 'mg/dL', '70 - 99'],
  ['Sodium', '140', 'mmol/L', '135 - 145'],
];

/** Valid files: reports with a text layer, and a small one as images. */
export async function validFiles(): Promise<Buffer[]> {
  const reports = await Promise.all(LAYOUTS.map((layout, seed) => generateCase(layout, seed + 1)));
  const canvas = createCanvas(460, 120);
  const context = canvas.getContext('2d');
  context.fillStyle = 'white';
  context.fillRect(0, 0, 460, 120);
  context.fillStyle = 'black';
  context.font = '18px sans-serif';
  ROWS.forEach((row, at) =>
    row.forEach((cell, column) => context.fillText(cell, 15 + 115 * column, 30 + 34 * at)),
  );
  const pictures = [canvas.toBuffer('image/png'), canvas.toBuffer('image/jpeg', 85)];
  return [...reports.map(({ pdf }) => pdf), ...pictures];
}

type Roll = (below: number) => number;
type FileMutation = (file: Buffer, roll: Roll, other: Buffer) => Buffer;

const flipBits: FileMutation = (file, roll) => {
  const bytes = Buffer.from(file);
  for (let count = 1 + roll(24); count > 0; count -= 1) {
    const at = roll(bytes.length);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << roll(8)), at);
  }
  return bytes;
};
const truncateFile: FileMutation = (file, roll) => file.subarray(0, 1 + roll(file.length));
const spliceFile: FileMutation = (file, roll, other) => {
  const [from, at] = [roll(other.length), roll(file.length)];
  return Buffer.concat([
    file.subarray(0, at),
    other.subarray(from, from + roll(2000)),
    file.subarray(at + roll(300)),
  ]);
};
const blankBytes: FileMutation = (file, roll) => {
  const bytes = Buffer.from(file);
  const at = roll(bytes.length);
  return bytes.fill(roll(2) * 255, at, Math.min(bytes.length, at + 1 + roll(400)));
};
const NUMBERS = ['0', '-1', '1', '4294967295', '99999999999', '3 0 R', '1e9', 'null'];
/** Changes a number of a PDF, such as a length, width, offset or object number. */
const changeNumbers: FileMutation = (file, roll) => {
  const text = file.toString('latin1');
  const places = [
    ...text.matchAll(/(?<=\/(?:Length|Size|Count|Width|Root|Pages|W|Index|First|N)\s*)\d+|\b\d{2,10}\b/g),
  ];
  const place = places[roll(places.length)];
  if (!place) return file.subarray(1);
  const end = place.index + place[0].length;
  const number = NUMBERS[roll(NUMBERS.length)] ?? '0';
  return Buffer.from(text.slice(0, place.index) + number + text.slice(end), 'latin1');
};
/** Changes a length or another field of a PNG or JPEG. */
const changeLengths: FileMutation = (file, roll) => {
  const bytes = Buffer.from(file);
  const isPng = bytes.readUInt8(0) === 0x89;
  const parts = ['IHDR', 'IDAT', 'IEND'].map((name) => bytes.indexOf(name) - 4).filter((at) => at > 0);
  const markers = [0xc0, 0xc4, 0xda, 0xdb].map((kind) => bytes.indexOf(Buffer.from([0xff, kind])) + 2);
  const places = isPng ? parts.flatMap((at) => [at, at + 8, at + 12]) : markers.flatMap((at) => [at, at + 3]);
  const at = Math.min(places[roll(places.length)] ?? 0, bytes.length - 4);
  bytes.writeUInt16BE([0, 1, 2, 0xffff, 0x7fff, roll(65536)][roll(6)] ?? 0, at + (isPng ? 2 * roll(2) : 0));
  return bytes;
};

/** Creates `count` corrupted files, deterministically. */
export function mutateFiles(files: readonly Buffer[], count: number): Buffer[] {
  const random = seededNumbers(7);
  const roll: Roll = (below) => Math.floor(random() * below);
  return Array.from({ length: count }, (_, n) => {
    const file = files[n % files.length] ?? Buffer.alloc(1);
    const isPdf = file.subarray(0, 4).toString('latin1') === '%PDF';
    const changes = [flipBits, truncateFile, spliceFile, blankBytes, isPdf ? changeNumbers : changeLengths];
    const change = changes[roll(changes.length)] ?? flipBits;
    return change(file, roll, files[roll(files.length)] ?? file);
  });
}
