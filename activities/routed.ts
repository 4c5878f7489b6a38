/** One set of activities for a worker of several namespaces. */

/**
 * @param stepsOf What the namespace of the activity that is running has; throws where there is
 *   none.
 * @returns An activity of each name, which calls the one of its namespace.
 */
export function routed<Steps extends object>(
  names: readonly (keyof Steps & string)[],
  stepsOf: () => Steps,
): Steps {
  const result: Partial<Steps> = {};
  for (const name of names) {
    Reflect.set(result, name, async (input: unknown): Promise<unknown> => {
      const step: unknown = stepsOf()[name];
      if (typeof step !== 'function') throw new Error(`no activity ${name}`);
      return await step(input);
    });
  }
  if (!isWhole(result, names)) throw new Error('an activity is missing');
  return result;
}

function isWhole<Steps extends object>(
  steps: Partial<Steps>,
  names: readonly (keyof Steps)[],
): steps is Steps {
  return names.every((name) => Object.hasOwn(steps, name));
}
