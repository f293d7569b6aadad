import type { LabFormat, MessageHead } from '../protocol.ts';
import { unescapeText } from './escape.ts';

const HEAD_BYTES = 8192;
const TEXT_MAX = 200;

const EMPTY_HEAD: MessageHead = {
  isMessage: false,
  controlId: '',
  type: '',
  processing: '',
  version: '',
  labApplication: '',
  labFacility: '',
  ourApplication: '',
  ourFacility: '',
};

/** Reads the header from the first line alone, so that it works for invalid messages too. Never throws. */
export const readHead = (bytes: Buffer, format: LabFormat): MessageHead =>
  format === 'fhir' ? readBundleHead(bytes) : readHl7Head(bytes);

function readHl7Head(bytes: Buffer): MessageHead {
  const text = bytes
    .subarray(0, HEAD_BYTES)
    .toString('utf8')
    .replace(/^\uFEFF?\s*/, '');
  const line = text.split(/[\r\n]/, 1)[0] ?? '';
  const separator = line[3];
  if (!line.startsWith('MSH') || separator === undefined || /[\w\s]/.test(separator)) return EMPTY_HEAD;
  const fields = line.split(separator);
  const [component = '', repetition = '', escape = '', subcomponent = ''] = fields[1] ?? '';
  const delimiters = { field: separator, component, repetition, escape, subcomponent };
  const parts = (field: number) => {
    const raw = fields[field - 1] ?? '';
    return component === '' ? [raw] : raw.split(component);
  };
  const clean = (raw: string | undefined) =>
    unescapeText(raw ?? '', delimiters)
      .trim()
      .slice(0, TEXT_MAX);
  const first = (field: number) => clean(parts(field)[0]);
  return {
    isMessage: true,
    labApplication: first(3),
    labFacility: first(4),
    ourApplication: first(5),
    ourFacility: first(6),
    type: parts(9).slice(0, 2).map(clean).join('^').replace(/\^$/, ''),
    controlId: first(10),
    processing: first(11),
    version: first(12),
  };
}

/** Reads only the id and type of a bundle; the FHIR module parses its content. */
function readBundleHead(bytes: Buffer): MessageHead {
  const bundle = parseJson(bytes);
  if (!isRecord(bundle)) return EMPTY_HEAD;
  const { identifier, id, resourceType } = bundle;
  const named = isRecord(identifier) && typeof identifier['value'] === 'string' ? identifier['value'] : id;
  return {
    ...EMPTY_HEAD,
    isMessage: typeof resourceType === 'string',
    controlId: typeof named === 'string' ? named.slice(0, TEXT_MAX) : '',
    type: typeof resourceType === 'string' ? resourceType.slice(0, TEXT_MAX) : '',
  };
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

const isRecord = (thing: unknown): thing is Record<string, unknown> =>
  typeof thing === 'object' && thing !== null && !Array.isArray(thing);
