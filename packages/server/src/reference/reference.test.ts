import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { buildOpenApi } from '../route-table.ts';
import { OpenApiDocument, findContentSchema } from './document.ts';
import { referencePage } from './reference.ts';
import { createSample } from './sample.ts';

/** A browser gets a tenth of it, packed. */
const BYTES_PER_OPERATION = 6000;
const HOSTILE = `</script><script>alert("1")</script><img src=x onerror='2'>&amp;`;

describe('the page of our own document', () => {
  let given: object;
  let document: OpenApiDocument;
  let page: string;

  beforeAll(async () => {
    given = await buildOpenApi(new URL('../../', import.meta.url), 'house');
    document = OpenApiDocument.parse(given);
    page = referencePage(given);
  });

  const operations = () =>
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
    );

  it('has every operation once, at its anchor', () => {
    const anchors = [...page.matchAll(/<article class="operation" id="([^"]+)"/g)].map(([, id]) => id);
    expect(anchors.toSorted()).toEqual(
      operations()
        .map(({ operationId }) => operationId)
        .toSorted(),
    );
  });

  it('has every schema once', () => {
    const anchors = [...page.matchAll(/<article class="schema" id="schema-([^"]+)"/g)].map(([, id]) => id);
    expect(anchors).toEqual(Object.keys(document.components.schemas));
  });

  it('leads every link to an id, and has no id twice', () => {
    expect(brokenLinks(page)).toEqual([]);
    const ids = idsOf(page);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  it('names every operation in the contents', () => {
    const contents = page.slice(page.indexOf('<nav'), page.indexOf('</nav>'));
    for (const { operationId } of operations()) expect(contents).toContain(`href="#${operationId}"`);
  });

  it('is well-formed HTML', () => expect(faultsOf(page)).toEqual([]));

  it('is small for its number of operations', () =>
    expect(Buffer.byteLength(page) / operations().length).toBeLessThan(BYTES_PER_OPERATION));

  it('uses the API key header of the brand', () => {
    expect(page).toContain('-H &quot;x-house-api-key: $TEAM_KEY&quot;');
    expect(page).toContain('-H &quot;X-Management-Key: $MANAGEMENT_KEY&quot;');
  });

  it('makes no external requests', () => {
    expect(page).not.toMatch(/(?:src|href)="(?!#|data:,|\/openapi\.json|\/dashboard")/);
    expect(page).toContain('http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;');
  });

  it('begins with a quick start, and ends with the notices of licenses', () => {
    const start = page.indexOf('id="page-quick-start"');
    expect(start).toBeGreaterThan(page.indexOf('<h1>'));
    expect(start).toBeLessThan(page.indexOf('<article class="operation"'));
    const steps = page.slice(start, page.indexOf('</ol>', start));
    expect([...steps.matchAll(/<code>curl/g)]).toHaveLength(5);
    expect(page.lastIndexOf('Regenstrief')).toBeGreaterThan(page.lastIndexOf('<article'));
  });

  it('shows example bodies that fit their schemas', () => {
    const text = JSON.stringify(given).replaceAll('#/components/schemas/', '#/$defs/');
    const { components, paths } = Pointed.parse(JSON.parse(text));
    for (const { path, method, requestBody } of operations()) {
      const shape = findContentSchema(requestBody?.content);
      if (!shape) continue;
      const { schema } = paths[path]?.[method]?.requestBody?.content['application/json'] ?? {};
      const whole = z.fromJSONSchema({ ...schema, $defs: namedBy(schema, components.schemas) });
      const { error } = whole.safeParse(createSample(document.components.schemas, shape));
      expect(error?.issues ?? [], `${method} ${path}`).toEqual([]);
    }
  });
});

describe('the page of any document', () => {
  it('escapes all text', () => {
    const page = referencePage(hostileDocument());
    expect(page.match(/<script>/g)).toHaveLength(1);
    expect(page).not.toContain('<img');
    expect(page).toContain('&lt;img src=x onerror=&#39;2&#39;&gt;&amp;amp;');
    expect(faultsOf(page)).toEqual([]);
    expect(brokenLinks(page)).toEqual([]);
  });

  it('links to the service below the path of a proxy', () => {
    const page = referencePage(hostileDocument(), '/aliquot');
    expect(page).toContain('href="/aliquot/openapi.json"');
    expect(page).not.toMatch(/href="\/(?!aliquot\/)/);
  });

  it('terminates on recursive schemas', () => {
    const branch = { $ref: '#/components/schemas/Tree' };
    const page = referencePage(
      documentWith({
        Tree: {
          type: 'object',
          required: ['first'],
          properties: { first: branch, all: { type: 'array', items: branch } },
        },
        Json: {
          anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/components/schemas/Json' } }],
        },
        Circle: { $ref: '#/components/schemas/Circle' },
        Lists: { type: 'array', items: { $ref: '#/components/schemas/Lists' } },
      }),
    );
    expect(textOf(page)).toContain('Body Tree · optional first Tree required all array of Tree Example');
    expect(faultsOf(page)).toEqual([]);
    expect(brokenLinks(page)).toEqual([]);
  });

  it('shows bounds, defaults, formats and values in words', () => {
    const properties = {
      size: { type: 'integer', minimum: 1, maximum: 500, default: 50 },
      big: { type: 'integer', minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      day: { anyOf: [{ type: 'string', format: 'date', pattern: '^x$' }, { type: 'null' }] },
      names: { type: 'array', maxItems: 3, items: { type: 'string', maxLength: 1 } },
      side: { enum: ['left', 'right', null] },
    };
    const page = textOf(
      referencePage(documentWith({ A: { type: 'object', required: ['day'], properties } })),
    );
    expect(page).toContain('size integer · 1 to 500 · default 50');
    expect(page).toContain('big integer day string (date) or null required');
    expect(page).toContain('names array of string · at most 3 items · each at most 1 character');
    expect(page).toContain('side string left right');
  });
});

const Pointed = z.object({
  components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        requestBody: z
          .object({
            content: z.record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()) })),
          })
          .optional(),
      }),
    ),
  ),
});

/** The schemas that this one names, and those that they name. */
function namedBy<T>(schema: unknown, all: Record<string, T>): Record<string, T> {
  const named: Record<string, T> = {};
  const waiting = [schema];
  while (waiting.length > 0) {
    for (const [, name = ''] of JSON.stringify(waiting.pop() ?? {}).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
      const one = all[name];
      if (one === undefined || name in named) continue;
      named[name] = one;
      waiting.push(one);
    }
  }
  return named;
}

const documentWith = (schemas: Record<string, object>) => ({
  openapi: '3.1.0',
  info: { title: 'Any', version: '1' },
  paths: {
    '/any': {
      post: {
        operationId: 'any',
        requestBody: {
          content: {
            'application/json': { schema: { $ref: `#/components/schemas/${Object.keys(schemas)[0]}` } },
          },
        },
        responses: Object.fromEntries(
          Object.keys(schemas).map((name, at) => [
            String(200 + at),
            {
              description: name,
              content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
            },
          ]),
        ),
      },
    },
  },
  components: { schemas },
});

/** Every text that a document may hold, made hostile; what it says must stand on the page as text. */
function hostileDocument(): object {
  const shape = {
    type: 'object',
    description: HOSTILE,
    properties: {
      [HOSTILE]: {
        type: 'string',
        format: HOSTILE,
        default: HOSTILE,
        description: `\`${HOSTILE}\``,
        enum: [HOSTILE],
        examples: [HOSTILE],
      },
      [`${HOSTILE}2`]: { type: HOSTILE, pattern: HOSTILE.slice(0, 20), const: HOSTILE },
    },
  };
  return {
    info: { title: HOSTILE, version: HOSTILE, description: HOSTILE, license: { name: HOSTILE } },
    servers: [{ url: HOSTILE }],
    tags: [{ name: HOSTILE, description: HOSTILE }],
    paths: {
      [`/${HOSTILE}/{${HOSTILE}}`]: {
        patch: {
          operationId: HOSTILE,
          summary: HOSTILE,
          description: HOSTILE,
          tags: [HOSTILE],
          security: [{ [HOSTILE]: [] }],
          parameters: [{ in: 'query', name: HOSTILE, required: true, description: HOSTILE, schema: shape }],
          requestBody: { content: { [HOSTILE]: { schema: { $ref: `#/x/${HOSTILE.replaceAll('/', '')}` } } } },
          responses: { [HOSTILE]: { description: HOSTILE, content: { a: { schema: shape } } } },
        },
      },
    },
    components: {
      schemas: { [HOSTILE.replaceAll('/', '')]: shape },
      securitySchemes: { [HOSTILE]: { type: 'apiKey', in: 'header', name: HOSTILE, description: HOSTILE } },
    },
  };
}

const idsOf = (page: string) => [...page.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => id);

function brokenLinks(page: string): readonly string[] {
  const ids = new Set(idsOf(page));
  return [...page.matchAll(/href="#([^"]*)"/g)].map(([, id = '']) => id).filter((id) => !ids.has(id));
}

const withoutCode = (page: string) => page.replace(/<(style|script)>[\s\S]*?<\/\1>/g, '');

const textOf = (page: string) =>
  withoutCode(page)
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');

const TAG = /^<(\/?)([a-z][a-z0-9]*)(?:\s[a-z-]+(?:="[^"<]*")?)*\s*(\/?)>/;
const VOID = new Set(['meta', 'link', 'wbr', 'input']);
/** What a browser would move out of the place where it was written. */
const NOT_INSIDE: Readonly<Record<string, RegExp>> = {
  p: /^(?:p|div|ul|li|table|details|section|article|pre|h\d)$/,
  ul: /^(?!li$)/,
  tr: /^(?!t[hd]$)/,
  tbody: /^(?!tr$)/,
  a: /^a$/,
};

/** A tolerant reader of HTML: signs that are no tags, ends without a start, elements where none may be. */
function faultsOf(page: string): readonly string[] {
  const text = withoutCode(page).replace(/^<!doctype html>/, '');
  const faults: string[] = [];
  const open: string[] = [];
  for (const { index } of text.matchAll(/</g)) {
    const [, end, name = '', closed] = TAG.exec(text.slice(index, index + 2000)) ?? [];
    if (name === '') faults.push(`No tag: ${text.slice(index, index + 40)}`);
    else if (end) {
      const last = open.pop();
      if (last !== name) faults.push(`</${name}> ends <${last}>`);
    } else {
      if (open.some((parent, at) => forbids(parent, name, at === open.length - 1)))
        faults.push(`<${name}> in ${open.join(' ')}`);
      if (!VOID.has(name) && !closed) open.push(name);
    }
  }
  return [...faults, ...open];
}

const forbids = (parent: string, name: string, direct: boolean) =>
  (direct || parent === 'p' || parent === 'a') && (NOT_INSIDE[parent]?.test(name) ?? false);
