/**
 * Pipelines: the destinations of events besides webhooks. The reaction owes each event to the main broker of its
 * tenant, the sender publishes and waits for the broker's word, and the routes let a team set up its destinations.
 */
export { handOnBacklog } from './hand-on.ts';
export { pipelineReaction } from './reaction.ts';
export { endPipelines } from './set-pipelines.ts';
export { startPipelineSender } from './sender.ts';
