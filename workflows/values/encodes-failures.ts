/** Global of the workflow bundle: true where workers encrypt payloads. */
export const encodesFailures = 'millwrightEncodesFailures';
