/** The second baseline of `hl7-intake`: node-hl7-server, which parses each whole message and stores nothing. */
import { createServer } from 'node:http';
import { Server } from 'node-hl7-server';

const hl7 = new Server({ bindAddress: '127.0.0.1' });
const inbound = hl7.createInbound(
  { port: Number(process.env['LAB_MLLP_PORT']) },
  async (_request, response) => {
    await response.sendResponse('AA');
  },
);
const server = createServer((_request, response) => response.end('ok')).listen(
  Number(process.env['PORT']),
  '127.0.0.1',
);
process.once('SIGTERM', () => {
  void inbound.close();
  server.close();
  server.closeAllConnections();
});
