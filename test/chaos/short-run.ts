/**
 * The run that is a part of `npm test`: its seed is one with every kind of trouble in it
 * (plan.test.ts looks).
 */
export const shortRun = {
  seed: 16,
  minutes: 1.25,
  settleSeconds: 300,
} as const;
