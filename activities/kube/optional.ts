import { isNotFound } from './errors.ts';

/** Undefined when the API server answers that there is no such object. */
export async function orUndefined<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
