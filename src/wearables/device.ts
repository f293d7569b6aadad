import { z } from 'zod';
import { SourceType, Text } from './source.ts';

export const Device = z
  .object({
    id: z.guid(),
    user_id: z.guid(),
    provider: z.string().describe('The slug of the provider.'),
    source_type: SourceType,
    app_id: Text,
    device_manufacturer: Text,
    device_model: Text,
    device_version: Text,
    device_id: Text.describe('As the provider calls it.'),
  })
  .meta({ id: 'ClientFacingDevice' });
