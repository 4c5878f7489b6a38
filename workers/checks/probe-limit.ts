/** As long as the activities of a run may take. */
export const longestProbeMs = 120_000;
