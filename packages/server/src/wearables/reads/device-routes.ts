import { z } from 'zod';
import type { Http } from '../../platform/http/http.ts';
import { Device } from '../../readings/schema.ts';
import { getUserDevice, listUserDevices } from './devices.ts';

const tag = 'Wearables';
const UserId = z.object({ user_id: z.guid() });

export function deviceRoutes(http: Http): void {
  http.get('/v2/user/:user_id/device', {
    schema: {
      operationId: 'listUserDevices',
      summary: 'List the devices of a user',
      tag,
      params: UserId,
      response: { 200: z.array(Device) },
    },
    handler: ({ work, params }) => listUserDevices(work, params.user_id),
  });
  http.get('/v2/user/:user_id/device/:device_id', {
    schema: {
      operationId: 'getUserDevice',
      summary: 'Get a device of a user',
      tag,
      params: UserId.extend({ device_id: z.guid() }),
      response: { 200: Device },
    },
    handler: ({ work, params }) =>
      getUserDevice(work, { userId: params.user_id, deviceId: params.device_id }),
  });
}
