import type { EventType } from '../../packages/server/src/events/events.ts';
import { FAMILIES, type Family } from './event-families.ts';
import { describeSchema, type Described } from './json-schema.ts';
import { code, printedFrom, table } from './markdown.ts';
import { RESOURCE_EVENT, resourceChapter, sampleOf, type ToldResource } from './resource-events.ts';
import { shapeBody, typeOf } from './shapes.ts';

/** An event with its data as JSON Schema. */
interface Told extends EventType {
  readonly described: Described;
}

/** docs/reference/events.md: every event by its family, when it is sent and the fields of its data. */
export function eventsPage(events: readonly EventType[]): string {
  const told = events
    .toSorted((a, b) => (a.type < b.type ? -1 : 1))
    .map((event) => ({ ...event, described: describeSchema(event.data, 'output') }));
  const others = told.filter(({ type }) => !RESOURCE_EVENT.test(type));
  const resources = resourcesOf(told);
  return [
    ...HEAD,
    ...FAMILIES.flatMap((family) => chapter(family, others)),
    ...(resources.length > 0 ? resourceChapter(resources) : []),
    '## Shapes',
    '',
    ...shapesOf(told).flatMap(([name, shape]) => [`### ${name}`, '', shapeBody(shape), '']),
  ].join('\n');
}

const HEAD = [
  '# Events',
  '',
  printedFrom('the events.ts of every module'),
  '',
  'Every event goes to the endpoints of its team that want its type, in this envelope:',
  '',
  table(
    ['field', 'type', 'what it is'],
    [
      ['`event_type`', 'text', 'One of the types below.'],
      ['`data`', 'object or list', 'As below, by type.'],
      ['`team_id`', 'text (uuid)', 'The team.'],
      ['`user_id`', 'text (uuid) or null', 'The user whom it is about; null when it is about nobody.'],
      ['`client_user_id`', 'text or null', 'The same user, as the team calls it.'],
    ],
  ),
  '',
  'An event may come twice and may come out of order; the header `webhook-id` stays the same for the same event.',
  'A field that is not marked optional is always there. Lists of values may grow; leave a branch for unknown ones.',
  'The same for programs is at `/asyncapi.json` of the service.',
  '',
  'An endpoint asks for types by `filter_types`. One that gives none is sent everything.',
  '',
  table(
    ['filter', 'what it asks for'],
    [
      ['`labtest.order.created`', 'This type.'],
      ['`labtest.order.*`', 'Every type that begins with `labtest.order.`; those that will come, too.'],
      [
        '`daily.data.*`',
        'New and changed data of every resource, without the news that a past is filled in.',
      ],
      ['`daily.data.steps.*`', 'The same of one resource.'],
    ],
  ),
  '',
];

/** Names and moments of one family in a table; data that have no name of their own follow it. */
function chapter({ title, types, intro }: Family, events: readonly Told[]): string[] {
  const own = events.filter(
    ({ type }) => FAMILIES.find((family) => family.types.test(type))?.types === types,
  );
  if (own.length === 0) return [];
  const rows = own.map(({ type, when, described }) => [
    code(type),
    when,
    isNamed(described) ? typeOf(described) : 'below',
  ]);
  return [
    `## ${title}`,
    '',
    intro,
    '',
    table(['type', 'when it is sent', 'data'], rows),
    '',
    ...own
      .filter(({ described }) => !isNamed(described))
      .flatMap(({ type, described }) => [`The data of ${code(type)}:`, '', shapeBody(described), '']),
  ];
}

const isNamed = ({ $ref: reference, items }: Described): boolean =>
  reference !== undefined || items?.$ref !== undefined;

function resourcesOf(events: readonly Told[]): ToldResource[] {
  return events.flatMap(({ type, described }) => {
    const name = RESOURCE_EVENT.exec(type)?.[1];
    return name === undefined || type !== `daily.data.${name}.created` ? [] : [{ name, data: described }];
  });
}

/** Every named shape but the groups of samples and their samples, which stand in a table; a sleep shows some. */
function shapesOf(events: readonly Told[]): [string, Described][] {
  const shapes = new Map<string, Described>();
  for (const { described } of events) {
    const sample = sampleOf(described);
    for (const [name, shape] of Object.entries(described.$defs ?? {})) {
      const isTabled = sample !== undefined && (shape === sample || `#/$defs/${name}` === described.$ref);
      if (!isTabled) shapes.set(name, shape);
    }
  }
  return [...shapes].toSorted(([a], [b]) => (a < b ? -1 : 1));
}
