import { refName, type Described } from './json-schema.ts';
import { code, table } from './markdown.ts';
import { link, typeOf } from './shapes.ts';

export const RESOURCE_EVENT = /^(?:daily|historical)\.data\.(.+)\.(?:created|updated)$/;

/** A resource that is told by events, with the schema of what `daily.data.<resource>.created` carries. */
export interface ToldResource {
  readonly name: string;
  readonly data: Described;
}

/** The chapter of the wearable resources: one table of summaries, one of timeseries, and not 200 sections. */
export const resourceChapter = (resources: readonly ToldResource[]): string[] => {
  const samples = resources.map((resource) => ({ name: resource.name, sample: sampleOf(resource.data) }));
  const summaries = resources.filter((_, index) => samples[index]?.sample === undefined);
  return [
    ...INTRO,
    '### Summaries',
    '',
    table(['resource', 'data'], summaries.map(summaryRow)),
    '',
    ...SAMPLES,
    table(
      ['resource', 'measured', 'unit', 'type', 'fields'],
      samples.flatMap(({ name, sample }) => (sample ? [sampleRow(name, sample)] : [])),
    ),
    '',
  ];
};

const INTRO = [
  '## Wearable data',
  '',
  'Every resource below is told by three types of event:',
  '',
  table(
    ['type', 'when it is sent', 'data'],
    [
      ['`daily.data.<resource>.created`', 'Something new came.', 'As below.'],
      ['`daily.data.<resource>.updated`', 'Something that was told before changed.', 'As below.'],
      [
        '`historical.data.<resource>.created`',
        'The past of a new connection is filled in. Once for each connection, without the data themselves.',
        link('HistoricalPullCompleted'),
      ],
    ],
  ),
  '',
];

const SAMPLES = [
  '### Timeseries',
  '',
  'Data: `user_id`, `source`, a [ClientFacingSource](#clientfacingsource), `source_id`, an integer that is the same for',
  'the same source of a user, and `data`, the list of samples of that source. A long list comes in several events. Every',
  'sample has:',
  '',
  table(
    ['field', 'type', 'what it is'],
    [
      ['`timestamp`', 'text (date-time)', 'When it was measured, or when the measuring began.'],
      ['`start`, `end`', 'text (date-time)', 'The time it covers; only where it is measured over a time.'],
      ['`timezone_offset`', 'integer or null', 'Seconds east of UTC; null where it is not known.'],
      ['`unit`', 'text', 'Always that of the table.'],
      ['`type`', 'text or null', 'The kind of measurement, where the table lists kinds; else null.'],
      ['`id`', 'integer or null, optional, deprecated', ''],
    ],
  ),
  '',
  'and the fields of its resource:',
  '',
];

/** What is said of every sample, and not again in the table. */
const COMMON = new Set(['id', 'timestamp', 'start', 'end', 'timezone_offset', 'unit', 'type']);

/** The schema of the samples, if the data are a list of them and their source. */
export function sampleOf({ $ref: reference, $defs: parts = {} }: Described): Described | undefined {
  const group = reference === undefined ? undefined : parts[refName(reference)]?.properties;
  if (!group?.['source']) return undefined;
  const sample = group['data']?.items?.$ref;
  return sample === undefined ? undefined : parts[refName(sample)];
}

const summaryRow = ({ name, data }: ToldResource): string[] => [code(name), typeOf(data)];

function sampleRow(name: string, { properties = {} }: Described): string[] {
  const fields = Object.entries(properties).filter(([field]) => !COMMON.has(field));
  return [
    code(name),
    'start' in properties ? 'over a time' : 'at a moment',
    String(properties['unit']?.const ?? ''),
    kindsOf(properties['type']),
    fields.map(([field, part]) => `${code(field)} ${typeOf(part)}`).join('; '),
  ];
}

/** Lists the kinds; a text that may be null is null here, and one that may not is whatever the source says. */
function kindsOf(type: Described = {}): string {
  if (type.enum ?? type.anyOf?.some((branch) => branch.enum)) return typeOf(type);
  return [type.type, ...(type.anyOf ?? []).map((branch) => branch.type)].flat().includes('null')
    ? ''
    : 'text';
}
