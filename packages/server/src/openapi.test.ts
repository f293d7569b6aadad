import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { buildOpenApi } from './route-table.ts';
import { OpenApiDocument } from './reference/document.ts';
import { referencePage } from './reference/reference.ts';

const root = new URL('../', import.meta.url);

it('shows the LOINC notice on the reference page and in the document, word for word', async () => {
  const notice = (await readFile(new URL('data/catalog/LOINC-NOTICE.txt', root), 'utf8')).trim();
  const given = await buildOpenApi(root);
  expect(OpenApiDocument.parse(given).info.description).toContain(notice);
  const words = referencePage(given).replaceAll(/<[^>]+>/g, '');
  expect(words).toContain(notice);
  const packaged = (await readFile(new URL('../../NOTICE', root), 'utf8')).replaceAll(/\s+/g, ' ');
  expect(packaged).toContain(notice);
});
