import { sql, type RawBuilder } from 'kysely';
import { comparedOf, type BoundFilter, type FilterTarget } from './bound-filter.ts';
import type { ScimOperator } from './filter.ts';

type Condition = RawBuilder<boolean>;
type Column = RawBuilder<unknown>;

/** Where the attributes of a resource are stored. */
export interface FilterColumns {
  /** By the name of the attribute, or of attribute and part: `name.familyName`. */
  readonly columns: Readonly<Record<string, Column>>;
  /** The multi-valued attributes: the columns of a value, and a query whether one meets a condition. */
  readonly values: Readonly<
    Record<
      string,
      {
        readonly columns: Readonly<Record<string, Column>>;
        readonly exists: (condition: Condition) => Condition;
      }
    >
  >;
}

/** The condition of a filter. It is never null, so that `not` means what it says. */
export function toCondition(filter: BoundFilter, stored: FilterColumns): Condition {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const conditions = filter.filters.map((one) => toCondition(one, stored));
      return sql<boolean>`(${sql.join(conditions, filter.kind === 'and' ? sql` and ` : sql` or `)})`;
    }
    case 'not':
      return sql<boolean>`(not ${toCondition(filter.filter, stored)})`;
    case 'values': {
      const { columns, exists } = valuesOf(filter.attribute.name, stored);
      return exists(toCondition(filter.filter, { columns, values: {} }));
    }
    case 'present':
      return overTarget(filter.target, stored, (column) => sql<boolean>`(${column} is not null)`);
    case 'compare':
      return overTarget(filter.target, stored, (column) => compare(column, filter));
  }
}

function overTarget(
  { attribute, sub }: FilterTarget,
  stored: FilterColumns,
  condition: (column: Column) => Condition,
): Condition {
  if (attribute.multiValued) {
    const { columns, exists } = valuesOf(attribute.name, stored);
    return exists(sub ? condition(columnOf(sub.name, columns)) : sql<boolean>`true`);
  }
  if (sub) return condition(columnOf(`${attribute.name}.${sub.name}`, stored.columns));
  if (!attribute.subAttributes) return condition(columnOf(attribute.name, stored.columns));
  const parts = Object.keys(stored.columns).filter((name) => name.startsWith(`${attribute.name}.`));
  return sql<boolean>`(${sql.join(
    parts.map((name) => condition(columnOf(name, stored.columns))),
    sql` or `,
  )})`;
}

function columnOf(name: string, columns: Readonly<Record<string, Column>>): Column {
  const column = columns[name];
  if (!column) throw new Error(`No column has the attribute ${name}`);
  return column;
}

function valuesOf(name: string, { values }: FilterColumns): FilterColumns['values'][string] {
  const found = values[name];
  if (!found) throw new Error(`No table has the values of ${name}`);
  return found;
}

function compare(
  column: Column,
  { target, operator, value }: Extract<BoundFilter, { kind: 'compare' }>,
): Condition {
  if (value instanceof Date) return ORDER[operator](column, sql`${value}::timestamptz`);
  if (typeof value === 'boolean') return ORDER[operator](column, sql`${value}::boolean`);
  const { caseExact } = comparedOf(target);
  // Code points, whatever the collation of the database.
  const fold = (text: Column) => (caseExact ? sql`(${text}) collate "C"` : sql`lower(${text}) collate "C"`);
  return TEXT[operator](fold(column), fold(sql`${value}::text`));
}

type Comparison = (column: Column, value: Column) => Condition;

const isSo = (condition: Column): Condition => sql<boolean>`coalesce(${condition}, false)`;

const ORDER: Record<ScimOperator, Comparison> = {
  eq: (column, value) => isSo(sql`${column} = ${value}`),
  ne: (column, value) => sql<boolean>`(${column} is distinct from ${value})`,
  gt: (column, value) => isSo(sql`${column} > ${value}`),
  ge: (column, value) => isSo(sql`${column} >= ${value}`),
  lt: (column, value) => isSo(sql`${column} < ${value}`),
  le: (column, value) => isSo(sql`${column} <= ${value}`),
  co: () => sql<boolean>`false`,
  sw: () => sql<boolean>`false`,
  ew: () => sql<boolean>`false`,
};

const TEXT: Record<ScimOperator, Comparison> = {
  ...ORDER,
  co: (column, value) => isSo(sql`strpos(${column}, ${value}) > 0`),
  sw: (column, value) => isSo(sql`starts_with(${column}, ${value})`),
  ew: (column, value) => isSo(sql`right(${column}, length(${value})) = ${value}`),
};
