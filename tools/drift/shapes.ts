import { refName, type Described } from './json-schema.ts';
import { code, table } from './markdown.ts';

/** The fields of an object; for anything else what it may be. */
export function shapeBody(shape: Described): string {
  const rows = fieldRows(shape, '');
  return rows.length === 0 ? `${typeOf(shape)}.` : table(['field', 'type', 'what it is'], rows);
}

function fieldRows(shape: Described, prefix: string): string[][] {
  const required = new Set(shape.required ?? []);
  return Object.entries(shape.properties ?? {}).flatMap(([name, part]) => {
    const inner = withoutNull(part);
    const list = inner.items ? withoutNull(inner.items) : undefined;
    const deeper = list ? fieldRows(list, `${prefix}${name}[].`) : fieldRows(inner, `${prefix}${name}.`);
    const marks = [required.has(name) ? '' : ', optional', part.deprecated === true ? ', deprecated' : ''];
    return [[code(prefix + name), typeOf(part) + marks.join(''), part.description ?? ''], ...deeper];
  });
}

const isNull = ({ type }: Described) => type === 'null';

/** What is left of a nullable when null is put aside, if that is one thing. */
function withoutNull(part: Described): Described {
  const others = part.anyOf?.filter((branch) => !isNull(branch)) ?? [];
  return others.length === 1 && others[0] ? others[0] : part;
}

const NAMES: Readonly<Record<string, string>> = { string: 'text', array: 'list' };

export function typeOf(part: Described): string {
  if (part.$ref !== undefined) return link(refName(part.$ref));
  const branches = part.anyOf ?? part.oneOf;
  if (branches) return [...new Set(branches.map(typeOf))].join(' or ');
  if (part.const !== undefined) return code(String(part.const));
  if (part.enum) return part.enum.map((value) => code(String(value))).join(', ');
  if (part.items) return `list of ${typeOf(part.items)}`;
  const values = part.additionalProperties;
  if (!part.properties && typeof values === 'object') return `map of ${typeOf(values)}`;
  const names = [part.type ?? 'any value'].flat().map((name) => NAMES[name] ?? name);
  return names.join(' or ') + (part.format === undefined ? '' : ` (${part.format})`);
}

export const link = (name: string): string => `[${name}](#${name.toLowerCase()})`;
