/**
 * Pipelines deliver events to message brokers, in addition to or instead of webhooks. The event handler enqueues each
 * event for the main broker of its tenant, the sender publishes it and waits for the broker's confirmation, and the
 * routes configure the destinations of a team.
 */
export { transferBacklogJob } from './backlog-transfer.ts';
export { checkDestinations, type DestinationCheck } from './check-destinations.ts';
export { pipelineEventHandler } from './event-handler.ts';
export { pushesHistoricalData } from './historical-data.ts';
export { deletePipelinesOfTeam } from './set-pipelines.ts';
export { startPipelineSender } from './sender.ts';
