import { curlExample, type OperationEntry } from '../../packages/server/src/reference/curl.ts';
import {
  findContentSchema,
  OpenApiDocument,
  type OpenApiOperation,
  type OpenApiResponse,
} from '../../packages/server/src/reference/document.ts';
import { groupOperations } from '../../packages/server/src/reference/groups.ts';
import type { OperationGroup } from '../../packages/server/src/reference/navigation.ts';
import { splitCamelCase } from '../../packages/server/src/reference/operation.ts';
import { table } from '../drift/markdown.ts';
import { fieldTable, meaningOf, typeText, type FieldContext } from './api-fields.ts';
import { codeSpan, prose } from './markdown-text.ts';
import type { NavigationItem } from './navigation.ts';
import type { SitePage } from './pages.ts';

/** Where the examples call the service. */
const ORIGIN = 'http://localhost:3000';

interface ApiReference {
  readonly pages: readonly SitePage[];
  readonly navigation: NavigationItem;
}

/** The reference of the API: a page for each group of operations, and the schemas by their first letter. */
export function apiReference(given: object): ApiReference {
  const document = OpenApiDocument.parse(given);
  const context: FieldContext = {
    schemas: document.components.schemas,
    linkTo: (name) => `./${schemaPage(name)}#${anchorOf(name)}`,
  };
  const groups = groupOperations(document);
  const pages = groups.map((group) => groupPage(document, context, group));
  return {
    pages: [indexPage(document, groups), ...pages, ...schemaPages(context)],
    navigation: {
      text: 'API',
      collapsed: true,
      items: [
        { text: 'All operations', link: '/api/index.md' },
        ...groups.map(({ name }) => ({ text: name, link: `/api/${slugOf(name)}.md` })),
      ],
    },
  };
}

const page = (path: string, parts: readonly (string | undefined)[]): SitePage => ({
  source: undefined,
  path: `api/${path}`,
  text: `${parts.filter((part) => part !== undefined && part !== '').join('\n\n')}\n`,
});

const slugOf = (name: string): string => name.toLowerCase().replace(/\W+/g, '-');
const anchorOf = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
const schemaPage = (name: string): string => `schemas-${name.slice(0, 1).toLowerCase()}.md`;

function indexPage(document: OpenApiDocument, groups: readonly OperationGroup[]): SitePage {
  const listed = groups.flatMap(({ name, description, entries }) => [
    `## ${name}`,
    prose(description ?? ''),
    table(
      ['Operation', 'Call'],
      entries.map((entry) => [
        `[${prose(entry.title)}](./${slugOf(name)}.md#${anchorOf(entry.id)})`,
        callOf(entry),
      ]),
    ),
  ]);
  const keys = Object.entries(document.components.securitySchemes).map(([name, scheme]) => [
    splitCamelCase(name),
    codeSpan(scheme.name ?? 'Authorization'),
    prose(scheme.description ?? ''),
  ]);
  return page('index.md', [
    '# API reference',
    ...(document.info.description ?? '').split('\n\n').map(prose),
    `A running service describes itself at \`/openapi.json\`, and lets you try each operation in its dashboard. The
document of this version: [openapi.json](../reference/openapi.json).`,
    '## Keys',
    table(['Key', 'Header', 'What it is'], keys),
    ...listed,
  ]);
}

const callOf = ({ method, path }: OperationEntry): string => codeSpan(`${method.toUpperCase()} ${path}`);

function groupPage(document: OpenApiDocument, context: FieldContext, group: OperationGroup): SitePage {
  return page(`${slugOf(group.name)}.md`, [
    `# ${group.name}`,
    prose(group.description ?? ''),
    ...group.entries.flatMap((entry) => operationParts(document, context, entry)),
  ]);
}

function operationParts(
  document: OpenApiDocument,
  context: FieldContext,
  entry: OperationEntry,
): (string | undefined)[] {
  const { operation } = entry;
  return [
    `## ${prose(entry.title)} {#${anchorOf(entry.id)}}`,
    `**${callOf(entry)}**`,
    operation.deprecated ? 'Deprecated.' : undefined,
    ...(operation.description ?? '').split('\n\n').map(prose),
    keyLine(document, operation),
    parameterTable(context, operation),
    bodyPart(context, operation),
    ['```sh', curlExample(document, entry, ORIGIN), '```'].join('\n'),
    ...responseParts(context, operation),
  ];
}

function keyLine(document: OpenApiDocument, operation: OpenApiOperation): string {
  const choices = operation.security ?? document.security;
  if (choices.length === 0) return 'No key is required.';
  const keys = choices.map((choice) =>
    Object.keys(choice).map((name) => {
      const header = document.components.securitySchemes[name]?.name ?? 'Authorization';
      return `a ${splitCamelCase(name)} in ${codeSpan(header)}`;
    }),
  );
  return `Requires ${keys.map((all) => all.join(' and ')).join(' or ')}.`;
}

function parameterTable(context: FieldContext, { parameters }: OpenApiOperation): string | undefined {
  if (parameters.length === 0) return undefined;
  const rows = parameters.map((given) => [
    codeSpan(given.name),
    given.in,
    `${typeText(context, given.schema)}${given.required ? '' : ', optional'}`,
    meaningOf(context, { ...given.schema, description: given.description ?? given.schema.description }),
  ]);
  return `**Parameters**\n\n${table(['Name', 'In', 'Type', 'Meaning'], rows)}`;
}

function bodyPart(context: FieldContext, { requestBody }: OpenApiOperation): string | undefined {
  const schema = findContentSchema(requestBody?.content);
  if (!requestBody || !schema) return undefined;
  const optional = requestBody.required ? '' : ', optional';
  const heading = `**Body**: ${typeText(context, schema)}${optional}`;
  const fields = fieldTable(context, schema);
  return fields === undefined ? heading : `${heading}\n\n${fields}`;
}

function responseParts(context: FieldContext, { responses }: OpenApiOperation): (string | undefined)[] {
  const rows = Object.entries(responses).map(([status, response]) => [
    status,
    prose(response.description),
    responseType(context, response),
  ]);
  const unnamed = Object.entries(responses)
    .filter(
      ([status, { content }]) => status.startsWith('2') && findContentSchema(content)?.$ref === undefined,
    )
    .map(([, { content }]) => fieldTable(context, findContentSchema(content) ?? {}));
  return ['**Responses**', table(['Status', 'Meaning', 'Body'], rows), ...unnamed];
}

function responseType(context: FieldContext, { content }: OpenApiResponse): string {
  const schema = findContentSchema(content);
  if (schema) return typeText(context, schema);
  return Object.keys(content ?? {})
    .map(codeSpan)
    .join(' or ');
}

function schemaPages(context: FieldContext): readonly SitePage[] {
  const byPage = new Map<string, string[]>();
  for (const name of Object.keys(context.schemas).toSorted())
    byPage.set(schemaPage(name), [...(byPage.get(schemaPage(name)) ?? []), name]);
  return [...byPage].map(([path, names]) =>
    page(path, [
      `# Schemas: ${path.slice('schemas-'.length, -'.md'.length).toUpperCase()}`,
      ...names.flatMap((name) => schemaParts(context, name)),
    ]),
  );
}

function schemaParts(context: FieldContext, name: string): (string | undefined)[] {
  const schema = context.schemas[name] ?? {};
  const fields = fieldTable(context, schema);
  return [
    `## ${name} {#${anchorOf(name)}}`,
    prose(schema.description ?? ''),
    fields ??
      [typeText(context, schema), meaningOf(context, { ...schema, description: undefined })].join('. '),
  ];
}
