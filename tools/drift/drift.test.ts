import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventCatalog, eventTypes } from '../../packages/server/src/event-catalog.ts';
import { defineEvent } from '../../packages/server/src/events/events.ts';
import { conditionOf } from './conditions.ts';
import { configurationPage } from './configuration-page.ts';
import { printDocuments } from './documents.ts';
import { eventsPage } from './events-page.ts';

describe('the condition of a move', () => {
  it('is not spoken of where the move is always open', () => {
    expect(conditionOf('testkit', 'transit_lab', 'delivered_to_lab')).toBeUndefined();
    expect(conditionOf('walk_in_test', 'ordered', 'requisition_created')).toBeUndefined();
  });

  it('is said by what is needed, or by what is in the way', () => {
    expect(conditionOf('testkit', 'ordered', 'awaiting_registration')).toBe('registrable kit');
    expect(conditionOf('testkit', 'requisition_created', 'transit_customer')).toBe('not sent yet');
    expect(conditionOf('testkit', 'with_customer', 'transit_lab')).toBe(
      'unless registrable kit and not requested',
    );
  });
});

describe('a printed page', () => {
  it('shows every field of an event, those inside lists too', () => {
    const said = defineEvent({
      type: 'kit.lost',
      when: 'A kit was lost.',
      data: z.object({
        kits: z.array(z.object({ id: z.int() })).nullable(),
        why: z.enum(['a', 'b']).optional(),
      }),
    });
    const page = eventsPage([said]);
    expect(page).toContain('A kit was lost.');
    expect(page).toContain('| `kits` | list of object or null |');
    expect(page).toContain('| `kits[].id` | integer |');
    expect(page).toContain('| `why` | `a`, `b`, optional |');
  });

  it('tells of a resource in one row, whatever number of events it has', () => {
    const source = z.object({ provider: z.string() }).meta({ id: 'Source' });
    const sample = z
      .object({
        timestamp: z.string(),
        unit: z.literal('m'),
        type: z.enum(['up', 'down']),
        value: z.number(),
      })
      .meta({ id: 'Climb' });
    const data = z.object({ source, data: z.array(sample) }).meta({ id: 'Climbs' });
    const events = ['daily.data.climb.created', 'daily.data.climb.updated', 'historical.data.climb.created'];
    const page = eventsPage(events.map((type) => defineEvent({ type, when: 'A climb.', data })));
    expect(page).toContain('| `climb` | at a moment | m | `up`, `down` | `value` number |');
    expect(page).not.toContain('### Climb');
    expect(page).toContain('### Source');
  });

  it('tells of every event that there is, and links to what is on the page', () => {
    const page = eventsPage(eventCatalog);
    const resource = /^(?:daily|historical)\.data\.(.+)\.\w+$/;
    const missing = eventTypes.filter(
      (type) => !page.includes(`| \`${resource.exec(type)?.[1] ?? type}\` |`),
    );
    expect(missing).toEqual([]);
    const heads = new Set([...page.matchAll(/^#+ (.+)$/gm)].map(([, head = '']) => head.toLowerCase()));
    const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, target = '']) => target);
    expect(links.filter((target) => !heads.has(target))).toEqual([]);
  });

  it('keeps a bar inside a pattern from ending the cell', () => {
    const page = configurationPage(
      z.object({
        KEY: z
          .string()
          .regex(/^(a|b)$/)
          .optional()
          .describe('A key.'),
      }),
    );
    expect(page).toContain('`^(a\\|b)$`');
  });

  // All documents, each from the whole service, two times.
  it('is the same when printed twice', { timeout: 60_000 }, async () => {
    const root = new URL('../../', import.meta.url);
    expect(await printDocuments(root)).toEqual(await printDocuments(root));
  });
});
