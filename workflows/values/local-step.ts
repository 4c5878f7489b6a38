/**
 * A local activity holds a workflow-task slot, so an attempt of it gets so many milliseconds
 * (docs/decisions/0002-recovery.md).
 */
export const longestLocalStepMs = 2_000;
