/**
 * For which objects an activity is: every one says it in a header, and a worker takes only those of
 * its own.
 */
export interface Place {
  /** Id of the control cluster. */
  cluster: string;
  namespace: string;
}

export const placeHeader = 'millwright-place';

/** Type of the failure with which a worker rejects the task of another install. */
export const otherInstall = 'OtherInstall';

/**
 * Reads the place from the input of a workflow: that of an object names the object, that of a check
 * the namespace.
 */
export function placeOf(input: unknown): Place | undefined {
  const { cluster, namespace, ref } = fieldsOf(input);
  const where = namespace ?? fieldsOf(ref)['namespace'];
  return typeof cluster === 'string' && typeof where === 'string'
    ? { cluster, namespace: where }
    : undefined;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
