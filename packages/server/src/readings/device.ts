import { z } from 'zod';
import { SourceType, NullableString } from './source.ts';

export const Device = z
  .object({
    id: z.guid(),
    user_id: z.guid(),
    provider: z.string().describe('The slug of the provider.'),
    source_type: SourceType,
    app_id: NullableString,
    device_manufacturer: NullableString,
    device_model: NullableString,
    device_version: NullableString,
    device_id: NullableString.describe('The id of the device at the provider.'),
  })
  .meta({ id: 'ClientFacingDevice' });
