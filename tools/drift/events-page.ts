import type { EventType } from '../../src/events/events.ts';
import { describeSchema, refName, type Described } from './json-schema.ts';
import { code, printedFrom, table } from './markdown.ts';

/** docs/events.md: every event, when it is sent and the fields of its data. */
export function eventsPage(events: readonly EventType[]): string {
  const shapes = new Map<string, Described>();
  const sections = events
    .toSorted((a, b) => (a.type < b.type ? -1 : 1))
    .map((event) => section(event, describeSchema(event.data, 'output'), shapes));
  const named = [...shapes].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...HEAD,
    ...sections.flat(),
    '## Shapes',
    '',
    ...named.flatMap(([name, shape]) => [`### ${name}`, '', ...body(shape), '']),
  ].join('\n');
}

const HEAD = [
  '# Events',
  '',
  printedFrom('the events.ts of every slice'),
  '',
  'Every event goes to the endpoints of its team that want its type, in this envelope:',
  '',
  table(
    ['field', 'type', 'what it is'],
    [
      ['`event_type`', 'text', 'One of the types below.'],
      ['`data`', 'object', 'As below, by type.'],
      ['`team_id`', 'text (uuid)', 'The team.'],
      ['`user_id`', 'text (uuid) or null', 'The user whom it is about; null when it is about nobody.'],
      ['`client_user_id`', 'text or null', 'The same user, as the team calls it.'],
    ],
  ),
  '',
  'An event may come twice and may come out of order; the header `webhook-id` stays the same for the same event.',
  'A field that is not marked optional is always there. Lists of values may grow; leave a branch for unknown ones.',
  '',
];

function section(event: EventType, described: Described, shapes: Map<string, Described>): string[] {
  for (const [name, shape] of Object.entries(described.$defs ?? {})) shapes.set(name, shape);
  const data = described.$ref === undefined ? body(described) : [`Data: ${link(refName(described.$ref))}.`];
  return [`## ${code(event.type)}`, '', event.when, '', ...data, ''];
}

/** The fields of an object; for anything else what it may be. */
function body(shape: Described): string[] {
  const rows = rowsOf(shape, '');
  return rows.length === 0 ? [`${typeOf(shape)}.`] : [table(['field', 'type', 'what it is'], rows)];
}

function rowsOf(shape: Described, prefix: string): string[][] {
  const required = new Set(shape.required ?? []);
  return Object.entries(shape.properties ?? {}).flatMap(([name, part]) => {
    const inner = withoutNull(part);
    const list = inner.items ? withoutNull(inner.items) : undefined;
    const deeper = list ? rowsOf(list, `${prefix}${name}[].`) : rowsOf(inner, `${prefix}${name}.`);
    const optional = required.has(name) ? '' : ', optional';
    return [[code(prefix + name), typeOf(part) + optional, part.description ?? ''], ...deeper];
  });
}

const isNull = ({ type }: Described) => type === 'null';

/** What is left of a nullable when null is put aside, if that is one thing. */
function withoutNull(part: Described): Described {
  const others = part.anyOf?.filter((branch) => !isNull(branch)) ?? [];
  return others.length === 1 && others[0] ? others[0] : part;
}

const NAMES: Readonly<Record<string, string>> = { string: 'text', array: 'list' };

function typeOf(part: Described): string {
  if (part.$ref !== undefined) return link(refName(part.$ref));
  const branches = part.anyOf ?? part.oneOf;
  if (branches) return [...new Set(branches.map(typeOf))].join(' or ');
  if (part.const !== undefined) return code(String(part.const));
  if (part.enum) return part.enum.map((value) => code(String(value))).join(', ');
  if (part.items) return `list of ${typeOf(part.items)}`;
  const names = [part.type ?? 'any value'].flat().map((name) => NAMES[name] ?? name);
  return names.join(' or ') + (part.format === undefined ? '' : ` (${part.format})`);
}

const link = (name: string) => `[${name}](#${name.toLowerCase()})`;
