import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { Timestamp } from '../../platform/timestamp.ts';

const FILTERS_MAX = 30;
const VALUES_MAX = 50;

const Page = z
  .string()
  .regex(/^[a-z][a-z0-9_/-]{0,63}$/, 'expected lower-case letters, digits, /, _ and -')
  .describe('The page that the view is of, as the caller names it: `orders`.');
const ViewName = z.string().trim().min(1).max(100).describe('A name for people; need not be unique.');
const FilterText = z.string().max(500);

const Filters = z
  .record(z.string().min(1).max(64), z.union([FilterText, z.array(FilterText).max(VALUES_MAX)]))
  .refine((filters) => Object.keys(filters).length <= FILTERS_MAX, `expected at most ${FILTERS_MAX} filters`)
  .describe('Names and texts, or lists of texts, which the service stores encrypted and does not interpret.');

export const SavedViewDocument = z.object({ name: ViewName, filters: Filters });
export type SavedViewDocument = z.output<typeof SavedViewDocument>;

export const CreateSavedView = z
  .strictObject({ page: Page, name: ViewName, filters: Filters })
  .meta({ id: 'CreateSavedView' });
export const ChangeSavedView = z
  .strictObject({ name: ViewName.optional(), filters: Filters.optional() })
  .meta({ id: 'ChangeSavedView' });

export const SavedViewParams = z.object({ saved_view_id: z.guid() });
export const SavedViewQuery = z.object({ page: Page.nullish() });

export const SavedViewView = z
  .object({
    id: z.uuid(),
    page: z.string(),
    name: z.string(),
    filters: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'SavedView' });
export const SavedViewList = z.object({ data: z.array(SavedViewView) });

export interface SavedView extends SavedViewDocument {
  readonly id: string;
  readonly page: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export const toSavedViewView = (view: SavedView): z.input<typeof SavedViewView> => ({
  ...view,
  created_at: isoTimestamp(view.created_at),
  updated_at: isoTimestamp(view.updated_at),
});
