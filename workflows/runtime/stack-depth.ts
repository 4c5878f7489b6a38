/**
 * Loaded once for all workflows, before the SDK freezes the globals of their sandbox.
 *
 * The SDK captures, maps and formats a stack for every promise that a workflow makes, for the "Call
 * Stack" tab of the Temporal UI. That was half of what a workflow costs here. Our workflows say
 * what they wait for in their details, so one frame is enough; a bug's stack has as many frames.
 */
Error.stackTraceLimit = 1;
