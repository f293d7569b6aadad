import { z } from 'zod';
import { approveLabTest, listPendingLabTests } from '../../ordering/catalog/catalog.ts';
import { formatTable, stripControlCharacters } from '../terminal/terminal.ts';
import { defineOperation } from './operation.ts';

export const listPending = defineOperation(z.object({}), async ({ app, output }) => {
  const tests = await listPendingLabTests(app);
  const rows = tests.map(({ id, name, labSlug, teamId, createdAt }) => [
    id,
    stripControlCharacters(name),
    labSlug,
    teamId,
    createdAt.toISOString().slice(0, 10),
  ]);
  const heads = ['ID', 'NAME', 'LAB', 'TEAM', 'CREATED'];
  output.out(rows.length === 0 ? 'No lab test awaits approval.\n' : formatTable(heads, rows));
});

export const approveLabTests = defineOperation(
  z.object({ ids: z.array(z.string()) }),
  async ({ app, output }, { ids }) => {
    for (const id of ids) {
      const { name } = await approveLabTest(app, id.toLowerCase());
      output.out(`${id} approved (${stripControlCharacters(name)})\n`);
    }
  },
);
